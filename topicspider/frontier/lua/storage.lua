-- The records of URLs and hosts.
-- Needs: state.

-- The record of a queued or leased URL, in bucketed hashes: its host, its attempts, and the client's packed text.
local HEAD = '>I4H' -- host's number, attempts

local function bucket_key(url_key)
    return PREFIX .. 'u' .. bucket_of(url_key)
end

local function put_record(url_key, id, attempts, packed)
    redis.call('HSET', bucket_key(url_key), url_key, struct.pack(HEAD, tonumber(id), math.min(attempts, 65535)) .. packed)
end

local function unpack_record(record)
    local number, attempts, from = struct.unpack(HEAD, record)
    return string.format('%d', number), attempts, string.sub(record, from)
end

-- Returns host number, attempts and the client's packed text; nothing when the URL is neither queued nor leased.
local function find(url_key)
    local record = #url_key == 8 and redis.call('HGET', bucket_key(url_key), url_key)
    if record and #record >= 6 then
        return unpack_record(record)
    end
end

local function drop_record(url_key)
    redis.call('HDEL', bucket_key(url_key), url_key)
end

-- The record of a host, and its place: ready, resting, held by a lease, or nowhere because it has nothing to give.
local NOWHERE, IS_READY, IS_RESTING, IS_HELD = 0, 1, 2, 3
local RESTED = -math.huge -- value of ready_at after a rest: a clock set back does not make the host rest again
local HOST = '>I4I4dddddddBBBdc8'
local known_hosts, touched = {}, {}
local now

-- Defined in leases.lua, which comes later.
local is_leased

-- ``delay``: minimum rest in seconds; ``allowed``: requests per connection, 0 if its answers did not show it.
local function unpack_host(id, text)
    local host = { id = id, text = text }
    local blocked, last
    host.pages, host.dead, host.entered, host.connect, host.response, host.ready_at, host.rest, host.delay, host.best, host.where,
        blocked, host.allowed, host.rank, host.tie, last = struct.unpack(HOST, text)
    host.is_blocked = blocked == 1
    host.name = string.sub(text, last)
    return host
end

local function load_host(id)
    if not known_hosts[id] then
        local text = redis.call('HGET', HOSTS, id)
        known_hosts[id] = text and unpack_host(id, text) or nil
    end
    return known_hosts[id]
end

local function save_host(host)
    local text = struct.pack(HOST, host.pages, host.dead, host.entered, host.connect, host.response, host.ready_at, host.rest, host.delay,
        host.best, host.where, host.is_blocked and 1 or 0, host.allowed, host.rank, host.tie) .. host.name
    if text ~= host.text then
        redis.call('HSET', HOSTS, host.id, text)
        host.text = text
    end
end

local ids = {} -- by name

local function host_named(name)
    ids[name] = ids[name] or redis.call('HGET', NAMES, name)
    return ids[name] and load_host(ids[name])
end

local function make_host(name, tie)
    totals.hosts = totals.hosts + 1
    local id = string.format('%d', totals.hosts)
    redis.call('HSET', NAMES, name, id)
    ids[name] = id
    known_hosts[id] = {
        id = id, name = name, tie = tie, pages = 0, dead = 0, entered = 0, connect = -1, response = -1, ready_at = RESTED, rest = 0,
        delay = 0, is_blocked = false, allowed = 0, best = 0, where = NOWHERE, rank = 0, text = '',
    }
    return known_hosts[id]
end

local function allowed_of(host)
    return host.allowed > 0 and host.allowed or REQUESTS_PER_CONNECTION
end

-- Marks a host to be placed anew at the end of the call; nil if somebody deleted its key.
local function touch(host)
    if host then
        touched[host.id] = host
    end
end

-- The host's member in the sorted set READY: hosts of equal rank leave by their tie, lowest first.
local function member_of(host)
    return host.tie .. host.id
end

-- Returns the number of URLs (as far as the policy looks), the best score, and the sum of the next ones; in millionths.
local function read_queue(host)
    local length = totals.policy == 'capacity' and allowed_of(host) or 1
    local top = redis.call('ZRANGE', queue_key(host.id), 0, length - 1, 'WITHSCORES')
    local sum = 0
    for index = 2, #top, 2 do
        sum = sum - tonumber(top[index])
    end
    local count = #top / 2
    if count > 0 and totals.policy == 'performance' then
        count = redis.call('ZCARD', queue_key(host.id))
    end
    return count, count > 0 and -tonumber(top[2]) or 0, sum
end

local function move(host, where, rank)
    if where == host.where and rank == host.rank and where ~= IS_RESTING then
        return
    end
    if host.where == IS_READY and where ~= IS_READY then
        redis.call('ZREM', READY, member_of(host))
    elseif host.where == IS_RESTING and where ~= IS_RESTING then
        redis.call('ZREM', RESTING, host.id)
    end
    if where == IS_READY then
        redis.call('ZADD', READY, -rank, member_of(host))
    elseif where == IS_RESTING then
        redis.call('ZADD', RESTING, host.ready_at, host.id)
    end
    host.where, host.rank = where, rank
end

-- Moves the host to its place, and writes its record if that has changed.
local function place(host)
    local count, best, sum = read_queue(host)
    if count == 0 then
        redis.call('ZREM', BEST, host.id)
    elseif best ~= host.best or host.where == NOWHERE then
        redis.call('ZADD', BEST, -best, host.id)
    end
    host.best = best
    local where, rank = NOWHERE, 0
    if count > 0 and best >= totals.least and host_room(host.pages, 1) > 0 and not host.is_blocked then
        if host.ready_at > now then
            where = IS_RESTING
        else
            host.ready_at = RESTED
            where = is_leased(host.id) and IS_HELD or IS_READY
            rank = rank_of(totals.policy, count, best / 1e6, sum / 1e6, host.entered, host.connect, host.response, allowed_of(host))
        end
    end
    move(host, where, rank)
    save_host(host)
end

local function place_touched()
    for id, host in pairs(touched) do
        place(host)
        touched[id] = nil
    end
end

local function wake_rested()
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', RESTING, '-inf', exact(now))) do
        local host = load_host(id)
        if host then
            place(host)
        else
            redis.call('ZREM', RESTING, id)
        end
    end
end

-- A shorter rest never cuts a longer one.
local function rest_for(host, seconds)
    if seconds > 0 and now + seconds > host.ready_at then
        host.ready_at, host.rest = now + seconds, seconds
    end
end

local function learn_timing(host, rest, connect, response, requests)
    host.connect = moving_average(host.connect, connect)
    host.response = moving_average(host.response, response)
    host.allowed = requests_told(host.allowed, requests)
    local is_asked = rest > 0 and rest < math.huge -- NaN is neither
    rest_for(host, math.max(is_asked and rest or 0, host.delay))
    touch(host)
end
