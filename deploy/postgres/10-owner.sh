#!/bin/sh
# Runs once, when the database's volume is new: the role that owns archiv's tables. It may make the other roles,
# and is no superuser: row-level security has to bind it.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$ARCHIV_OWNER_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE archiv_owner LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE archiv OWNER archiv_owner ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C.UTF-8';
SQL
