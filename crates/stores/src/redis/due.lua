-- What is due in a shard, in the order of the keys. KEYS: waiting, ready. ARGV: now, after (or ''), limit, what the
-- names of documents begin with. Answers {1 if there may be more, key, etag, due, key, ...}.
--
-- 'waiting' is sorted by time and 'ready' by key. What has become due moves from the one to the other, so that a page
-- costs what is on it and not all that is due. A save never touches 'ready': the document itself says whether it
-- still belongs there.
local waiting, ready = KEYS[1], KEYS[2]
local now, limit, documents = ARGV[1], tonumber(ARGV[3]), ARGV[4]
local step = 500
repeat
  local come = redis.call('ZRANGEBYSCORE', waiting, '-inf', now, 'LIMIT', 0, step)
  if #come > 0 then
    local scored = {}
    for _, key in ipairs(come) do
      scored[#scored + 1] = 0
      scored[#scored + 1] = key
    end
    redis.call('ZADD', ready, unpack(scored))
    redis.call('ZREM', waiting, unpack(come))
  end
until #come < step

local answer, found = {0}, 0
local page = math.min(step, limit + 1)
local from = '-'
if ARGV[2] ~= '' then from = '(' .. ARGV[2] end
repeat
  local keys = redis.call('ZRANGEBYLEX', ready, from, '+', 'LIMIT', 0, page)
  for _, key in ipairs(keys) do
    if found == limit then
      answer[1] = 1
      return answer
    end
    -- A document that is none of ours must not keep the others from being found.
    local state = redis.pcall('HMGET', documents .. key, 'etag', 'due')
    if not state.err then
      local due = state[2] or ''
      if due == '' then
        redis.call('ZREM', ready, key)
      elseif (tonumber(due) or 0) > tonumber(now) then
        redis.call('ZADD', waiting, due, key)
        redis.call('ZREM', ready, key)
      elseif state[1] then
        found = found + 1
        answer[#answer + 1] = key
        answer[#answer + 1] = state[1]
        answer[#answer + 1] = due
      end
    end
  end
  if #keys > 0 then from = '(' .. keys[#keys] end
until #keys < page
return answer
