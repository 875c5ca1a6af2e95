-- Leases, and what happens when the clock is set back.
-- Needs: state, storage.

-- A lease: who holds a host, until when, with which token and URLs.
-- A token is the crawl's epoch and a number that rises with each lease; no token is ever used again (fencing).
local LEASE = '>ddddHc0' -- epoch, number, end (time), length in seconds, node; then the keys of its URLs, 8 bytes each
local known_leases = {} -- by host number: the lease, or false for none
local changed_leases = {} -- written after all completions of the call

local function unpack_lease(text)
    local lease, last = {}, nil
    lease.epoch, lease.number, lease.ends, lease.seconds, lease.node, last = struct.unpack(LEASE, text)
    lease.url_keys = string.sub(text, last)
    return lease
end

local function lease_of(id)
    local lease = known_leases[id]
    if lease == nil then
        local text = redis.call('HGET', LEASES, id)
        lease = text and unpack_lease(text) or false
        known_leases[id] = lease
    end
    return lease
end

is_leased = function(id)
    return lease_of(id) and true or false
end

local function save_lease(id, lease)
    redis.call('HSET', LEASES, id, struct.pack(LEASE, lease.epoch, lease.number, lease.ends, lease.seconds,
        #lease.node, lease.node) .. lease.url_keys)
    redis.call('ZADD', ENDS, lease.ends, id)
    known_leases[id] = lease
end

local function end_lease(id, lease)
    totals.leased = totals.leased - #lease.url_keys / 8
    redis.call('HDEL', LEASES, id)
    redis.call('ZREM', ENDS, id)
    known_leases[id], changed_leases[id] = false, nil
end

local function grant(host, node, url_keys, seconds)
    totals.tokens = totals.tokens + 1
    totals.leased = totals.leased + #url_keys / 8
    totals.longest = math.max(totals.longest, seconds)
    save_lease(host.id, {
        epoch = totals.epoch, number = totals.tokens, ends = now + seconds, seconds = seconds,
        node = node, url_keys = url_keys,
    })
    move(host, IS_HELD, host.rank)
    save_host(host)
end

local function position_in(lease, url_key)
    for start = 1, #lease.url_keys, 8 do
        if string.sub(lease.url_keys, start, start + 7) == url_key then
            return start
        end
    end
    return nil
end

-- Removes the URL from the lease that the token names; false when there is no such lease or the URL is not in it.
local function take_out(host, url_key, epoch, number)
    local lease = lease_of(host.id)
    if not lease or lease.epoch ~= epoch or lease.number ~= number then
        return false
    end
    local start = position_in(lease, url_key)
    if not start then
        return false
    end
    if #lease.url_keys == 8 then
        end_lease(host.id, lease)
    else
        lease.url_keys = string.sub(lease.url_keys, 1, start - 1) .. string.sub(lease.url_keys, start + 8)
        totals.leased = totals.leased - 1
        changed_leases[host.id] = lease
    end
    return true
end

local function save_changed_leases()
    for id, lease in pairs(changed_leases) do
        save_lease(id, lease)
        changed_leases[id] = nil
    end
end

local function free_host(id, lease)
    end_lease(id, lease)
    local host = load_host(id)
    if host then
        place(host)
    end
end

local function expire()
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', ENDS, '-inf', exact(now))) do
        local lease = lease_of(id)
        if lease then
            totals.reissued = totals.reissued + #lease.url_keys / 8
            free_host(id, lease)
        else
            redis.call('ZREM', ENDS, id)
        end
    end
end

-- Extends the leases in ``held`` (host's name, epoch and number of each); returns the host names of those that are gone.
local function renew(held, seconds)
    local gone = {}
    for name, epoch, number in each('>I4c0dI4', held) do
        local id = redis.call('HGET', NAMES, name)
        local lease = id and lease_of(id)
        if lease and lease.epoch == epoch and lease.number == number then
            lease.ends, lease.seconds = now + seconds, seconds
            save_lease(id, lease)
        else
            gone[#gone + 1] = name
        end
    end
    totals.longest = math.max(totals.longest, #held > 0 and seconds or 0)
    return gone
end

-- Ends the leases of ``node`` that are not in ``held``: their grants were lost on the way to the node.
local function reclaim(node, held)
    local mine = {}
    for _, epoch, number in each('>I4c0dI4', held) do
        mine[exact(epoch) .. ' ' .. exact(number)] = true
    end
    local all = redis.call('HGETALL', LEASES)
    for index = 1, #all, 2 do
        local lease = lease_of(all[index])
        if lease and lease.node == node and not mine[exact(lease.epoch) .. ' ' .. exact(lease.number)] then
            free_host(all[index], lease)
        end
    end
end

-- The clock is the server's, and may be set back: that makes no lease and no rest longer.
local function clock_went_back()
    totals.quiet = math.min(totals.quiet, now + totals.longest)
    local all = redis.call('HGETALL', LEASES)
    for index = 1, #all, 2 do
        local lease = lease_of(all[index])
        lease.ends = math.min(lease.ends, now + lease.seconds)
        save_lease(all[index], lease)
    end
    for number = 1, totals.hosts do
        local host = load_host(string.format('%d', number))
        if host then
            host.ready_at = math.min(host.ready_at, now + host.rest)
            place(host)
        end
    end
end

-- The first write of every call that writes. A full server refuses this command, so then nothing is half done (promise 10).
local function look_at_the_clock()
    now = time_now()
    local before = totals.now
    totals.now = now
    redis.call('HSET', TOTALS, 'now', exact(now))
    saved.now = now
    if now < before then
        clock_went_back()
    end
end
