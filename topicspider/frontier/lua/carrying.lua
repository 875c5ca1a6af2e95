-- A whole crawl, taken out bucket by bucket and taken in record by record.
-- host's place, pages, rest, delay, connecting, responding (below 0: not known), blocked, requests a connection (0: not known)
local STATE = '>I4I4ddddBB'

-- Begin, or go on, to note what leaves the queue; the list outlives the watch.
local function watch()
    totals.watched = now + WATCHED_SECONDS
    if redis.call('EXISTS', GONE) == 0 then
        redis.call('RPUSH', GONE, '')
    end
    redis.call('EXPIRE', GONE, 3 * WATCHED_SECONDS)
end

local function is_watched()
    return totals.watched > now and redis.call('EXISTS', GONE) == 1
end

-- Returns how long the list of what left is by now: what comes after it belongs to this export.
function operations.watch()
    look_at_the_clock()
    if not is_watched() then
        redis.call('UNLINK', GONE)
    end
    watch()
    save_totals()
    return { place_in_time(), redis.call('LLEN', GONE) }
end

-- What is queued in a bucket, as told_of tells it, by one reading of the bucket.
local function add_records(name, queued)
    local all, pieces = redis.call('HGETALL', PREFIX .. 'u' .. name), {}
    for index = 1, #all, 2 do
        pieces[all[index]] = all[index + 1]
    end
    for index = 1, #all, 2 do
        local mark, first = all[index], all[index + 1]
        if #mark == 8 and #first >= 7 then
            local number, attempts, more = struct.unpack(HEAD, first)
            local id = string.format('%d', number)
            local host = load_host(id)
            local minus = host and redis.call('ZSCORE', queue_key(id), mark)
            if minus then
                local parts = { string.sub(first, 8), more == IN_LONG and redis.call('HGET', LONG, mark) or nil }
                for piece = 1, more == IN_LONG and 0 or more do
                    parts[#parts + 1] = pieces[mark .. string.char(piece)] or ''
                end
                queued[#queued + 1] = { host.name, mark, minus, attempts, table.concat(parts) }
            end
        end
    end
end

local function add_marks(name, queued, seen)
    for _, mark in ipairs(redis.call('HKEYS', PREFIX .. 'u' .. name)) do
        if #mark == 8 then
            queued[#queued + 1] = mark
        end
    end
    for _, member in ipairs(redis.call('SMEMBERS', PREFIX .. 's' .. name)) do
        seen[#seen + 1] = member
    end
end

-- ARGV: the first bucket, how many, what of the list was read, whether seen-sets are wanted (1). Returns whether the watch still
-- holds, the next bucket (-1 at the end), what left, what is queued (seen: only marks), and the members of the seen-sets.
function operations.buckets(arguments)
    look_at_the_clock()
    if not is_watched() then
        return { place_in_time(), 0, -1, {}, {}, {} }
    end
    local first, count, is_seen = tonumber(arguments[1]), tonumber(arguments[2]), arguments[4] == '1'
    local last = math.min(2 ^ totals.bits, first + count) - 1
    local queued, seen = {}, {}
    for bucket = first, last do
        local name = string.format('%d', bucket)
        if is_seen then
            add_marks(name, queued, seen)
        else
            add_records(name, queued)
        end
    end
    watch()
    save_totals()
    local gone = redis.call('LRANGE', GONE, tonumber(arguments[3]), -1)
    return { place_in_time(), 1, last + 1 < 2 ^ totals.bits and last + 1 or -1, gone, queued, seen }
end

-- Oldest first. ARGV: after which death, how many; returns the last death that was looked at ("" at the end).
function operations.dead_after(arguments)
    local some = redis.call('ZRANGEBYSCORE', DIED, '(' .. arguments[1], '+inf', 'WITHSCORES', 'LIMIT', 0, tonumber(arguments[2]))
    local marks = {}
    for index = 1, #some, 2 do
        marks[#marks + 1] = some[index]
    end
    return { place_in_time(), some[#some] or '', with_notes(marks) }
end

local function take_in_state(host, pages, rest, delay, connect, response, blocked, requests)
    totals.pages = totals.pages + math.max(0, pages - host.pages)
    host.pages = math.max(host.pages, pages)
    set_delay(host.id, math.max(delay_of(host.id), delay))
    host.connect = host.connect < 0 and connect or host.connect
    host.response = host.response < 0 and response or host.response
    if told_requests(host) == 0 then
        learn_requests(host, requests)
    end
    if rest > 0 and now + rest > host.ready_at then
        host.ready_at, host.rest = now + rest, rest
    end
    if blocked == 1 then
        set_blocked(host.id, true)
    end
    touch(host)
end

local function take_in_states(packed, host_at)
    local from = 1
    while from <= #packed do
        local index, pages, rest, delay, connect, response, blocked, requests
        index, pages, rest, delay, connect, response, blocked, requests, from = struct.unpack(STATE, packed, from)
        take_in_state(host_at(index, true), pages, rest, delay, connect, response, blocked, requests)
    end
end

local function take_in_dead(packed, host_at)
    local from, new = 1, 0
    while from <= #packed do
        local mark, member, index, minus, attempts, reason, text
        mark, member, index, minus, attempts, reason, text, from = struct.unpack('>c8Bc0I4dI4I4c0I4c0', packed, from)
        if redis.call('SADD', seen_key(mark), member) == 1 then
            local host = host_at(index, true)
            bury(host, mark, minus, reason, attempts, text)
            touch(host)
            new = new + 1
        end
    end
    return new
end

local function take_in_done(packed)
    local from, new = 1, 0
    while from <= #packed do
        local mark, member
        mark, member, from = struct.unpack('>c8Bc0', packed, from)
        new = new + redis.call('SADD', seen_key(mark), member)
    end
    totals.done = totals.done + new
    return new
end

-- ARGV: hosts, their states, entries, dead, done (packed), then facts: keys and values.
function operations.take_in(arguments)
    look_at_the_clock()
    totals.flushes = totals.flushes + 1
    local host_at, id_at = named_hosts(arguments[1])
    take_in_states(arguments[2], host_at)
    local new = add_entries(arguments[3], host_at, id_at) + take_in_dead(arguments[4], host_at) + take_in_done(arguments[5])
    for index = 6, #arguments, 2 do
        redis.call('HSETNX', PREFIX .. 'meta', arguments[index], arguments[index + 1])
    end
    place_touched()
    save_totals()
    return { place_in_time(), new }
end
