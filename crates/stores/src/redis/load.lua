-- Reads a document behind a mark, so that WAIT behind this script is about all that was read. KEYS: document, mark.
-- The mark goes to the replicas only: it must cost no flush of the server's file, and nobody reads it.
-- Redis 6 may have to be told that it replicates what a script does, as all newer ones do.
redis.replicate_commands()
redis.set_repl(redis.REPL_SLAVE)
redis.call('HSET', KEYS[2], 'mark', '')
return redis.call('HGETALL', KEYS[1])
