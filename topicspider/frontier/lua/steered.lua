-- What somebody said of hosts: that they are blocked, and the least that they rest. Of most crawls nobody says anything, so nothing is asked.
local BLOCKED, DELAYS = PREFIX .. 'blocked', PREFIX .. 'delays'

local function is_blocked(id)
    return totals.blocked > 0 and redis.call('SISMEMBER', BLOCKED, id) == 1
end

local function delay_of(id)
    return totals.delays > 0 and tonumber(redis.call('HGET', DELAYS, id)) or 0
end

-- How long the host rests after a fetch that asked for so many seconds.
local function rest_of(id, asked)
    local is_asked = asked > 0 and asked < math.huge -- NaN is neither
    return math.max(is_asked and asked or 0, delay_of(id))
end

local function set_blocked(id, is_to_be)
    local changed = redis.call(is_to_be and 'SADD' or 'SREM', BLOCKED, id)
    totals.blocked = totals.blocked + (is_to_be and changed or -changed)
    return changed
end

local function set_delay(id, seconds)
    if seconds > 0 then
        totals.delays = totals.delays + redis.call('HSET', DELAYS, id, exact(seconds))
    else
        totals.delays = totals.delays - redis.call('HDEL', DELAYS, id)
    end
end
