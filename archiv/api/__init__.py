"""The REST API at `/api/`: parse, call one service, report. Nothing here writes to the database by itself."""
