-- Writes documents, each if its own condition holds, whatever becomes of the others. KEYS: the documents, then a
-- 'waiting' for each that changes the index, in order. ARGV: how many documents; the ETag that it must have, the new one
-- and the body for each; then the number, the time and the key for each that changes the index, in order. Nothing here
-- may end the script: what was written before would stay. Answers for each 1, 0 or -1 as for one, or -2 when the server
-- refused: then its document is as it was.
local function write(document, first, waiting, due, key)
  local etag = redis.pcall('HGET', document, 'etag')
  if type(etag) == 'table' then return -2 end
  if not etag then
    local others = redis.pcall('EXISTS', document)
    if others ~= 0 then return type(others) == 'table' and -2 or -1 end
  end
  if (etag or '') ~= ARGV[first] then return 0 end
  if waiting then
    local done
    if due == '' then
      done = redis.pcall('ZREM', waiting, key)
    else
      done = redis.pcall('ZADD', waiting, due, key)
    end
    if type(done) == 'table' then return -2 end
  end
  local done = redis.pcall('HSET', document, 'etag', ARGV[first + 1], 'body', ARGV[first + 2])
  if type(done) == 'table' then return -2 end
  return 1
end

local writes = tonumber(ARGV[1])
local answer, waiting, change = {}, writes + 1, 3 * writes + 2
local changes = tonumber(ARGV[change])
for i = 1, writes do
  if i == changes then
    answer[i] = write(KEYS[i], 3 * i - 1, KEYS[waiting], ARGV[change + 1], ARGV[change + 2])
    waiting, change = waiting + 1, change + 3
    changes = tonumber(ARGV[change])
  else
    answer[i] = write(KEYS[i], 3 * i - 1)
  end
end
return answer
