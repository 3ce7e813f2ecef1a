-- Compare and swap. If KEYS[1] holds ARGV[3], or nothing where there is no ARGV[3], it gets ARGV[1] for ARGV[2] milliseconds.
-- Answers with the server's time, whether it was swapped, and what was found where it was not. Values are opaque bytes.
local time = redis.call('TIME')
local found = redis.call('GET', KEYS[1])
if found ~= (ARGV[3] or false) then
    return {time[1], time[2], 0, found}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {time[1], time[2], 1, false}
