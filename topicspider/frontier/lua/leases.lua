-- Leases, the clock that may be set back, dead letters, and eviction when the memory gets full.
-- Needs: state, storage.

-- Who holds which host, till when, by which token, with which URLs.
-- A token is the crawl's epoch and a number that rises with each lease: neither is ever used again (fencing).
local LEASE = '>ddddHc0' -- epoch, number, end, seconds, node; then the marks of its URLs, 8 bytes each
local known_leases = {} -- host's number to its lease, or false
local changed_leases = {} -- written at the end of the completions

local function unpack_lease(text)
    local lease, last = {}, nil
    lease.epoch, lease.number, lease.ends, lease.seconds, lease.node, last = struct.unpack(LEASE, text)
    lease.marks = string.sub(text, last)
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
        #lease.node, lease.node) .. lease.marks)
    redis.call('ZADD', ENDS, lease.ends, id)
    known_leases[id] = lease
end

local function end_lease(id, lease)
    totals.leased = totals.leased - #lease.marks / 8
    redis.call('HDEL', LEASES, id)
    redis.call('ZREM', ENDS, id)
    known_leases[id], changed_leases[id] = false, nil
end

local function grant(host, node, marks, seconds)
    totals.tokens = totals.tokens + 1
    totals.leased = totals.leased + #marks / 8
    totals.longest = math.max(totals.longest, seconds)
    save_lease(host.id, {
        epoch = totals.epoch, number = totals.tokens, ends = now + seconds, seconds = seconds,
        node = node, marks = marks,
    })
    move(host, IS_HELD, host.rank)
    save_host(host)
end

local function position_in(lease, mark)
    for start = 1, #lease.marks, 8 do
        if string.sub(lease.marks, start, start + 7) == mark then
            return start
        end
    end
    return nil
end

local note_reissued, note_duplicate
do
    local REISSUED, MOST = PREFIX .. 'reissued', 10000 -- URLs whose leases ran out, each with the token, by when
    local TOKEN = '>dI4'

    -- What a node fetches by a lease that is over is fetched twice.
    note_reissued = function(lease)
        local token = struct.pack(TOKEN, lease.epoch, lease.number)
        for start = 1, #lease.marks, 8 do
            redis.call('ZADD', REISSUED, now, string.sub(lease.marks, start, start + 7) .. token)
        end
        totals.reissued = totals.reissued + #lease.marks / 8
        redis.call('ZREMRANGEBYRANK', REISSUED, 0, -1 - MOST)
    end

    -- The URL was fetched all the same, by the lease that the token names; told again it counts no more.
    note_duplicate = function(mark, epoch, number)
        if totals.reissued > 0 then
            totals.duplicates = totals.duplicates + redis.call('ZREM', REISSUED, mark .. struct.pack(TOKEN, epoch, number))
        end
    end
end

-- Take the URL out of the lease that the token names; false when there is no such lease, or the URL is not in it.
-- ``is_fetched``: it was, whoever has the lease now.
local function take_out(host, mark, epoch, number, is_fetched)
    local lease = lease_of(host.id)
    if not lease or lease.epoch ~= epoch or lease.number ~= number then
        if is_fetched then
            note_duplicate(mark, epoch, number)
        end
        return false
    end
    local start = position_in(lease, mark)
    if not start then
        return false
    end
    if #lease.marks == 8 then
        end_lease(host.id, lease)
    else
        lease.marks = string.sub(lease.marks, 1, start - 1) .. string.sub(lease.marks, start + 8)
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
            note_reissued(lease)
            free_host(id, lease)
        else
            redis.call('ZREM', ENDS, id)
        end
    end
end

-- More time for the leases in ``held`` (host's name, epoch and number of each); returns the names of those that are gone.
local function renew(held, seconds)
    local gone, from = {}, 1
    while from <= #held do
        local name, epoch, number
        name, epoch, number, from = struct.unpack('>I4c0dI4', held, from)
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

-- End the leases of ``node`` that are not in ``held``: their grants were lost on the way to it.
local function reclaim(node, held)
    local mine, from = {}, 1
    while from <= #held do
        local _, epoch, number
        _, epoch, number, from = struct.unpack('>I4c0dI4', held, from)
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

-- The clock: the server's, which may be set back; no lease, no rest and no watch gets longer by that.
local function clock_went_back()
    totals.quiet = math.min(totals.quiet, now + totals.longest)
    totals.watched = math.min(totals.watched, now + WATCHED_SECONDS)
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

-- The first write of every call that writes: a command that a full server refuses, so nothing is half done (promise 10).
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

-- What was given up: of each mark a note, and the order in which they died.
local GRAVES, DIED, DYING = PREFIX .. 'graves', PREFIX .. 'died', PREFIX .. 'dying' -- the last: of each host how many
local NOTE = '>dI4I4c0I4c0' -- minus the score, attempts, reason, host; then the client's text

local function bury(host, mark, minus, reason, attempts, packed)
    local note = struct.pack(NOTE, minus, attempts, #reason, reason, #host.name, host.name)
    redis.call('HSET', GRAVES, mark, note .. packed)
    totals.deaths = totals.deaths + 1
    if redis.call('ZADD', DIED, totals.deaths, mark) == 1 then
        totals.dead = totals.dead + 1
        redis.call('HINCRBY', DYING, host.id, 1)
    end
end

local function with_notes(marks)
    local notes = #marks > 0 and redis.call('HMGET', GRAVES, unpack(marks)) or {}
    local found = {}
    for index, mark in ipairs(marks) do
        if notes[index] then
            found[#found + 1] = { mark, notes[index] }
        end
    end
    return found
end

-- Newest first.
local function dead_from(first, count)
    return with_notes(redis.call('ZREVRANGE', DIED, first, first + count - 1))
end

-- When the server's memory is nearly full, the queued URLs with the lowest scores leave it, counted: the crawl goes on and ends by itself.
-- They leave the seen-set, too: one that is found again, worth more than what was given up, is queued as if it were new.
local FULL, ENOUGH = 0.85, 0.83 -- of maxmemory: where it begins, and where it stops
local BYTES_A_URL = 1000 -- no ordinary URL takes more: so many surely fit before the memory must be looked at again
local LOOK_AFTER = 10000 -- new URLs, even where the memory is far from full: somebody may set a limit, or fill it with something else meanwhile
local HOSTS_LOOKED_AT, DEEPEST, ROUNDS = 1000, 200, 8 -- in one round; URLs of a host; rounds of a call

-- Bytes used, and the limit; 0 where there is none, or where Redis itself throws things out.
local function memory()
    local told = redis.call('INFO', 'memory')
    local limit = string.find(told, 'maxmemory_policy:noeviction', 1, true) and string.match(told, '\nmaxmemory:(%d+)') or 0
    return tonumber(string.match(told, 'used_memory:(%d+)')), tonumber(limit)
end

-- The mark as it stands in the seen-set: a signed number of 64 bits, more than Lua's numbers hold, so by limbs of 16 bits.
local function member_of_mark(mark)
    local limbs = { struct.unpack('>I2I2I2I2', mark) }
    local is_negative = limbs[1] < 32768
    limbs[1] = limbs[1] - 32768
    if is_negative then
        local borrow = 0
        for limb = 4, 1, -1 do
            local value = -limbs[limb] - borrow
            limbs[limb] = value % 65536
            borrow = value < 0 and 1 or 0
        end
    end
    local digits = ''
    repeat
        local rest = 0
        for limb = 1, 4 do
            local value = rest * 65536 + limbs[limb]
            limbs[limb], rest = math.floor(value / 10000), value % 10000
        end
        digits = string.format('%04d', rest) .. digits
    until limbs[1] + limbs[2] + limbs[3] + limbs[4] == 0
    digits = string.gsub(digits, '^0+(%d)', '%1')
    return (is_negative and '-' or '') .. digits
end

-- The lowest of the host's URLs that are not leased, lowest first, at most ``depth``: added to ``found``. Returns the score below
-- which nothing of the host was overlooked (minus it, in millionths), nil when that is all there is.
local function lowest_of(host, depth, found)
    local lease = lease_of(host.id)
    local wanted = depth + (lease and #lease.marks / 8 or 0)
    local lowest = redis.call('ZREVRANGE', queue_key(host.id), 0, wanted - 1, 'WITHSCORES')
    for index = 1, #lowest, 2 do
        if #lowest[index] == 8 and not (lease and position_in(lease, lowest[index])) then
            found[#found + 1] = { minus = tonumber(lowest[index + 1]), mark = lowest[index], host = host }
        end
    end
    return #lowest == 2 * wanted and tonumber(lowest[#lowest]) or nil
end

local function is_lower(left, right)
    if left.minus ~= right.minus then
        return left.minus > right.minus
    end
    return left.mark > right.mark
end

local function evict_one(one)
    -- not noted for an export: what is given up is nowhere told as done, and a note would take the room that was made
    redis.call('ZREM', queue_key(one.host.id), one.mark)
    drop_record(one.mark)
    redis.call('SREM', seen_key(one.mark), member_of_mark(one.mark))
    totals.waiting = totals.waiting - 1
    totals.evicted = totals.evicted + 1
    touch(one.host)
end

-- Lets up to ``count`` URLs go, the lowest of some hosts: of all, unless there are very many; those then take turns. Returns how many went.
local function evict(count)
    local hosts = math.min(totals.hosts, HOSTS_LOOKED_AT)
    local depth = math.min(DEEPEST, math.max(8, math.ceil(4 * count / math.max(1, hosts))))
    local found, surely = {}, -math.huge
    for step = 1, hosts do
        local host = load_host(string.format('%d', (totals.evicting + step - 1) % totals.hosts + 1))
        local bound = host and lowest_of(host, depth, found)
        surely = math.max(surely, bound or -math.huge)
    end
    totals.evicting = totals.hosts > hosts and (totals.evicting + hosts) % totals.hosts or 0
    table.sort(found, is_lower)
    local gone = 0
    for _, one in ipairs(found) do
        if gone == count or one.minus < surely then
            break -- of some host there may be lower ones that were not looked at
        end
        evict_one(one)
        gone = gone + 1
    end
    return gone
end

-- Called where ``new`` URLs were queued. Bounded: what is still too much is for the next call.
local function make_room(new)
    totals.unlooked = totals.unlooked + new
    if totals.unlooked < totals.fitting then
        return
    end
    local used, limit = memory()
    local round, until_at = 0, FULL
    while round < ROUNDS and used > until_at * limit and limit > 0 and evict(math.max(DEEPEST, new)) > 0 do
        round, until_at, used = round + 1, ENOUGH, memory()
    end
    totals.unlooked = 0
    local fitting = limit > 0 and math.floor((FULL * limit - used) / BYTES_A_URL) or LOOK_AFTER
    totals.fitting = math.max(1, math.min(LOOK_AFTER, fitting))
end
