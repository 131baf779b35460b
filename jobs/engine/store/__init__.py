"""The only writer of the states of jobs: one function a verb, each of them one guarded statement.

Functions take a psycopg connection: the dispatcher's own, as `archiv_queue`, or the one beneath Django's
`default`, as `archiv_app`, inside the transaction that is open there. Arrays travel as text literals, and
uuid, timestamptz and jsonb stay text on their way through the dispatcher: that halves what it costs.

Modules: claims (claim, claim_capped, claim_urgent, due_heads), ends (finish, finish_batch, fail_batch,
release, reap), leases (beat, checkpoint, publish_progress), enqueue, operators (requeue, cancel), erase (what
a wipe does), upkeep (stage, tenant queues, workers), samples.
"""
