-- Operations for inspection beside the crawl: looks, admin commands, export and import, the nodes.
-- Needs: state, storage, leases, dead_letters, eviction, work, operations.

-- Looks. They change nothing, and each call reads a bounded part of the crawl.
local function seconds_left(at)
    return exact(math.max(0, at - now))
end

local function host_row(host)
    local lease = lease_of(host.id)
    local top = redis.call('ZRANGE', queue_key(host.id), 0, 0, 'WITHSCORES')
    return {
        host.name, redis.call('ZCARD', queue_key(host.id)), lease and #lease.url_keys / 8 or 0, host.dead, host.pages,
        top[2] or '', seconds_left(host.ready_at), exact(host.delay), host.is_blocked and 1 or 0,
    }
end

-- ARGV: the first host's number, how many. Returns the number of the next host (0 at the end), and a row for each host.
function operations.hosts(arguments)
    now = time_now()
    local first, rows = tonumber(arguments[1]), {}
    local last = math.min(totals.hosts, first + tonumber(arguments[2]) - 1)
    for number = first, last do
        local host = load_host(string.format('%d', number))
        rows[#rows + 1] = host and host_row(host) or nil
    end
    return { last < totals.hosts and last + 1 or 0, rows }
end

-- URL keys and scores of the best (top) or worst queued URLs of some hosts, none beyond ``bound`` (minus a score in millionths).
-- Top: ``first`` is a position among the hosts by best URL; the end is reached when no further host's best is within ``bound``.
-- Worst: ``first`` is a host's number.
function operations.ends(arguments)
    local is_top, first, count = arguments[1] == 'top', tonumber(arguments[2]), tonumber(arguments[3])
    local limit, bound = tonumber(arguments[4]), arguments[5]
    local ids, found = {}, {}
    if is_top then
        ids = redis.call('ZRANGEBYSCORE', BEST, '-inf', bound, 'LIMIT', first, count)
    else
        for number = first, math.min(totals.hosts, first + count - 1) do
            ids[#ids + 1] = string.format('%d', number)
        end
    end
    for _, id in ipairs(ids) do
        local lease = lease_of(id)
        local wanted = limit + (lease and #lease.url_keys / 8 or 0)
        local command, from = is_top and 'ZRANGEBYSCORE' or 'ZREVRANGEBYSCORE', is_top and '-inf' or '+inf'
        local some = redis.call(command, queue_key(id), from, bound, 'WITHSCORES', 'LIMIT', 0, wanted)
        for index = 1, #some, 2 do
            if #some[index] == 8 and not (lease and position_in(lease, some[index])) then
                found[#found + 1] = some[index]
                found[#found + 1] = some[index + 1]
            end
        end
    end
    return { #ids < count and -1 or first + count, found }
end

-- Host, URL key, minus the score, attempts and the client's packed text of a queued or leased URL; nil for others.
local function told_of(url_key)
    local id, attempts, packed = find(url_key)
    local host = id and load_host(id)
    local minus = host and redis.call('ZSCORE', queue_key(id), url_key)
    return minus and { host.name, url_key, minus, attempts, packed } or nil
end

local function told_of_all(url_keys)
    local told = {}
    for start = 1, #url_keys, 8 do
        told[#told + 1] = told_of(string.sub(url_keys, start, start + 7))
    end
    return told
end

function operations.entries(arguments)
    return { told_of_all(arguments[1]) }
end

function operations.leases()
    now = time_now()
    local all, found = redis.call('HGETALL', LEASES), {}
    for index = 1, #all, 2 do
        local host, lease = load_host(all[index]), lease_of(all[index])
        if host then
            found[#found + 1] = { host.name, lease.node, seconds_left(lease.ends), told_of_all(lease.url_keys) }
        end
    end
    return { found }
end

-- Changes from outside the crawl.

local function set_blocked(host, is_to_be)
    host.is_blocked = is_to_be
    return redis.call(is_to_be and 'SADD' or 'SREM', BLOCKED, host.id)
end

-- ARGV: hosts (packed), 1 to block or 0 to unblock. Returns how many hosts changed.
function operations.block(arguments)
    look_at_the_clock()
    local host_at, count = named_hosts(arguments[1])
    local changed = 0
    for index = 0, count - 1 do
        local host = host_at(index, true)
        changed = changed + set_blocked(host, arguments[2] == '1')
        place(host)
    end
    return { changed }
end

-- ARGV: hosts (packed), seconds.
function operations.delay(arguments)
    look_at_the_clock()
    local host_at, count = named_hosts(arguments[1])
    for index = 0, count - 1 do
        local host = host_at(index, true)
        host.delay = tonumber(arguments[2])
        save_host(host)
    end
    return {}
end

local function revive(url_key, note)
    local minus, _, _, name, last = struct.unpack(NOTE, note)
    local packed = string.sub(note, last)
    local host = host_named(name)
    if #packed == 0 or #url_key ~= 8 or not host then
        return 0 -- only its URL key is known
    end
    redis.call('ZREM', DEAD_ORDER, url_key)
    redis.call('HDEL', DEAD_NOTES, url_key)
    host.dead = host.dead - 1
    totals.dead = totals.dead - 1
    queue(host, url_key, minus, 0, packed)
    return 1
end

-- ARGV: URL keys.
function operations.revive(arguments)
    look_at_the_clock()
    totals.flushes = totals.flushes + 1
    local url_keys = {}
    for start = 1, #arguments[1], 8 do
        url_keys[#url_keys + 1] = string.sub(arguments[1], start, start + 7)
    end
    local revived = 0
    for _, told in ipairs(with_notes(url_keys)) do
        revived = revived + revive(told[1], told[2])
    end
    place_touched()
    return { revived }
end

-- A whole crawl, exported bucket by bucket and imported record by record.
local STATE = '>I4I4ddB' -- the host's index in the packed hosts, pages, rest and delay in seconds, blocked

-- Adds the queued URLs of a bucket, in the form of told_of, with one read of the bucket.
local function add_records(name, queued)
    local all = redis.call('HGETALL', PREFIX .. 'u' .. name)
    for index = 1, #all, 2 do
        local url_key, record = all[index], all[index + 1]
        local id, attempts, packed = unpack_record(#record >= 6 and record or string.rep('\0', 6))
        local host = load_host(id)
        local minus = host and redis.call('ZSCORE', queue_key(id), url_key)
        if minus then
            queued[#queued + 1] = { host.name, url_key, minus, attempts, packed }
        end
    end
end

-- ARGV: the first bucket, how many. Returns a count that rises with every flush and lease, the next bucket (-1 at the end), the queued
-- URLs, and the members of the seen-sets.
function operations.buckets(arguments)
    local first = tonumber(arguments[1])
    local last = math.min(2 ^ totals.bits, first + tonumber(arguments[2])) - 1
    local queued, seen = {}, {}
    for bucket = first, last do
        local name = string.format('%d', bucket)
        add_records(name, queued)
        for _, member in ipairs(redis.call('SMEMBERS', SEEN .. name)) do
            seen[#seen + 1] = member
        end
    end
    return { totals.flushes + totals.tokens, last + 1 < 2 ^ totals.bits and last + 1 or -1, queued, seen }
end

local function take_in_states(packed, host_at)
    for index, pages, rest, delay, blocked in each(STATE, packed) do
        local host = host_at(index, true)
        totals.pages = totals.pages + math.max(0, pages - host.pages)
        host.pages, host.delay = math.max(host.pages, pages), math.max(host.delay, delay)
        rest_for(host, rest)
        if blocked == 1 then
            set_blocked(host, true)
        end
        touch(host)
    end
end

local function take_in_dead(packed, host_at)
    local new = 0
    for url_key, member, index, minus, attempts, reason, text in each('>c8Bc0I4dI4I4c0I4c0', packed) do
        if redis.call('SADD', seen_key(url_key), member) == 1 then
            local host = host_at(index, true)
            dead_letter(host, url_key, minus, reason, attempts, text)
            touch(host)
            new = new + 1
        end
    end
    return new
end

local function take_in_done(packed)
    local new = 0
    for url_key, member in each('>c8Bc0', packed) do
        new = new + redis.call('SADD', seen_key(url_key), member)
    end
    totals.done = totals.done + new
    return new
end

-- ARGV: hosts, their states, entries, dead, done (all packed), then facts: key, value, key, value …
function operations.take_in(arguments)
    look_at_the_clock()
    totals.flushes = totals.flushes + 1
    local host_at = named_hosts(arguments[1])
    take_in_states(arguments[2], host_at)
    local new = add_entries(arguments[3], host_at) + take_in_dead(arguments[4], host_at) + take_in_done(arguments[5])
    for index = 6, #arguments, 2 do
        redis.call('HSETNX', PREFIX .. 'meta', arguments[index], arguments[index + 1])
    end
    place_touched()
    return { new }
end

-- The nodes: looking at them, and sending a request to one of them.

-- Returns how many URLs were handed out again, and of each node: name, seconds since its last heartbeat, that heartbeat, the request to it.
function operations.nodes()
    now = time_now()
    local heard, told = redis.call('ZRANGE', PREFIX .. 'heard', 0, -1, 'WITHSCORES'), {}
    for index = 1, #heard, 2 do
        local name = heard[index]
        local text, asked = redis.call('HGET', PREFIX .. 'nodes', name), redis.call('HGET', PREFIX .. 'asked', name)
        told[#told + 1] = { name, exact(now - heard[index + 1]), text or '', asked or '' }
    end
    return { totals.reissued, told }
end

-- ARGV: the node, the request to it.
function operations.ask(arguments)
    look_at_the_clock()
    redis.call('HSET', PREFIX .. 'asked', arguments[1], arguments[2])
    return {}
end
