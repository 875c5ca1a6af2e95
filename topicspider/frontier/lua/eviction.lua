-- Evicts queued URLs when the server's memory gets full.
-- Needs: state, storage, leases.

-- When the server's memory is nearly full, the queued URLs with the lowest scores are removed and counted; the crawl goes on.
-- They are removed from the seen-set, too: one that is found again later is queued as a new URL.
local FULL, ENOUGH = 0.85, 0.83 -- shares of maxmemory at which eviction begins, and stops
local BYTES_A_URL = 1000 -- an upper bound for an ordinary URL: tells how many fit before the memory must be checked again
local LOOK_AFTER = 10000 -- new URLs between two checks, at most: meanwhile maxmemory may be set, or something else may fill the memory
local HOSTS_LOOKED_AT, DEEPEST, ROUNDS = 1000, 200, 8 -- hosts in one round; URLs of one host in one round; rounds in one call

-- Returns the bytes used and the limit; the limit is 0 if there is none, or if Redis itself evicts keys.
local function memory()
    local told = redis.call('INFO', 'memory')
    local limit = string.find(told, 'maxmemory_policy:noeviction', 1, true) and string.match(told, '\nmaxmemory:(%d+)') or 0
    return tonumber(string.match(told, 'used_memory:(%d+)')), tonumber(limit)
end

-- The URL key as the seen-set has it: a signed 64-bit integer in decimal. Lua's numbers hold only 53 bits, so it is computed in two parts:
-- the millions, and the rest.
local function member_of_key(url_key)
    local high, low = struct.unpack('>I4I4', url_key)
    high = high - 2 ^ 31
    local sign = ''
    if high < 0 then
        sign, high = '-', -high - (low > 0 and 1 or 0)
        low = low > 0 and 2 ^ 32 - low or 0
    end
    local rest = low % 1e6 + high * (2 ^ 32 % 1e6)
    local millions = math.floor(low / 1e6) + high * math.floor(2 ^ 32 / 1e6) + math.floor(rest / 1e6)
    if millions == 0 then
        return sign .. string.format('%.0f', rest % 1e6)
    end
    return sign .. string.format('%.0f%06.0f', millions, rest % 1e6)
end

-- Adds to ``found`` the ``depth`` lowest URLs of the host that are not leased, lowest first.
local function add_lowest(host, depth, found)
    local lease = lease_of(host.id)
    local wanted = depth + (lease and #lease.url_keys / 8 or 0)
    local lowest = redis.call('ZREVRANGE', queue_key(host.id), 0, wanted - 1, 'WITHSCORES')
    for index = 1, #lowest, 2 do
        if #lowest[index] == 8 and not (lease and position_in(lease, lowest[index])) then
            found[#found + 1] = { minus = tonumber(lowest[index + 1]), url_key = lowest[index], host = host }
        end
    end
end

local function evict_one(one)
    redis.call('ZREM', queue_key(one.host.id), one.url_key)
    drop_record(one.url_key)
    redis.call('SREM', seen_key(one.url_key), member_of_key(one.url_key))
    totals.waiting = totals.waiting - 1
    totals.evicted = totals.evicted + 1
    touch(one.host)
end

-- Evicts up to ``count`` URLs, those with the lowest scores on all hosts; of very many hosts on some, in turn. Returns how many.
local function evict(count)
    local hosts = math.min(totals.hosts, HOSTS_LOOKED_AT)
    local depth = math.min(DEEPEST, math.max(8, math.ceil(4 * count / math.max(1, hosts))))
    local found = {}
    for step = 1, hosts do
        local host = load_host(string.format('%d', (totals.evicting + step - 1) % totals.hosts + 1))
        if host then
            add_lowest(host, depth, found)
        end
    end
    totals.evicting = totals.hosts > hosts and (totals.evicting + hosts) % totals.hosts or 0
    table.sort(found, function(left, right) return left.minus > right.minus end)
    for index = 1, math.min(count, #found) do
        evict_one(found[index])
    end
    return math.min(count, #found)
end

-- Call after ``new`` URLs were queued. Its work is bounded: the next call evicts what is still too much.
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
