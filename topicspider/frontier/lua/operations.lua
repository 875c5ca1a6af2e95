-- The operations that a node calls, heartbeats included.
-- Needs: state, storage, leases, dead_letters, eviction, work.

-- The nodes: for each its last heartbeat, the time of that heartbeat, and the request to the node.
local hear
do -- a Lua function may have 200 local names at most
    local NODES, HEARD, ASKED = PREFIX .. 'nodes', PREFIX .. 'heard', PREFIX .. 'asked'
    local KEPT_SECONDS = 86400 -- how long silent nodes are kept

    local function forget(names)
        if #names > 0 then
            redis.call('HDEL', NODES, unpack(names))
            redis.call('HDEL', ASKED, unpack(names))
            redis.call('ZREM', HEARD, unpack(names))
        end
    end

    -- Stores a heartbeat; returns the request to the node, "" for none.
    hear = function(node, text)
        redis.call('HSET', NODES, node, text)
        redis.call('ZADD', HEARD, now, node)
        forget(redis.call('ZRANGEBYSCORE', HEARD, '-inf', exact(now - KEPT_SECONDS), 'LIMIT', 0, 100))
        return redis.call('HGET', ASKED, node) or ''
    end
end

-- All operations by name. ARGV of a call: the time, the operation, then its arguments.
local operations = {}

local function counts()
    return {
        totals.waiting - totals.leased, totals.leased, totals.done, totals.dead, totals.pages, totals.hosts,
        totals.evicted,
    }
end

-- ARGV: work (6 packed strings; the first is '-' for none), node, held leases, length of a lease in seconds, hosts and URLs wanted
-- (-1: none is asked for), "1" if grants may have been lost on the way, "0" if held leases are not to be renewed and hosts not to be
-- shared by need, the heartbeat (nil or "": none).
function operations.sync(arguments)
    look_at_the_clock()
    local node, held, seconds = arguments[7], arguments[8], tonumber(arguments[9])
    local hosts, urls = tonumber(arguments[10]), tonumber(arguments[11])
    local new, gone, leases, stands, quiet, asked = 0, {}, {}, {}, '', ''
    if arguments[1] ~= '-' then
        new = apply(unpack(arguments, 1, 6))
    end
    if arguments[12] == '1' then
        reclaim(node, held) -- after the completions: the leases that they end are no longer in ``held``
    end
    if seconds >= 0 and arguments[13] ~= '0' then
        gone = renew(held, seconds)
    end
    if hosts >= 0 then
        leases, stands, quiet = acquire(node, hosts, urls, seconds, arguments[13] ~= '0')
    elseif node ~= '' then
        note_need(node, false)
    end
    if (arguments[14] or '') ~= '' then
        asked = hear(node, arguments[14])
    end
    return { counts(), new, gone, leases, stands, quiet, asked }
end

function operations.counts()
    return { counts() }
end

-- ARGV: URL keys, each with its member of the seen-set; returns 1 or 0 for each.
function operations.known(arguments)
    local known = {}
    for url_key, member in each('>c8Bc0', arguments[1]) do
        known[#known + 1] = redis.call('SISMEMBER', seen_key(url_key), member)
    end
    return { known }
end

-- ARGV: position, how many. Returns dead letters, newest first.
function operations.dead(arguments)
    return { dead_from(tonumber(arguments[1]), tonumber(arguments[2])) }
end

-- Ranks and places some hosts anew after the rules have changed; returns the number of the next host, 0 at the end.
function operations.rerank(arguments)
    look_at_the_clock()
    local first = tonumber(arguments[1])
    local last = math.min(totals.hosts, first + tonumber(arguments[2]) - 1)
    for number = first, last do
        local host = load_host(string.format('%d', number))
        if host then
            move(host, NOWHERE, 0)
            place(host)
        end
    end
    return { last < totals.hosts and last + 1 or 0 }
end

-- Forgets everything but the rules; the token number goes on rising.
function operations.clear()
    look_at_the_clock()
    redis.call('UNLINK', NAMES, HOSTS, READY, RESTING, BEST, LEASES, ENDS, PREFIX .. 'meta')
    redis.call('UNLINK', BLOCKED, DEAD_NOTES, DEAD_ORDER)
    redis.call('UNLINK', PREFIX .. 'nodes', PREFIX .. 'heard', PREFIX .. 'asked', PREFIX .. 'hungry')
    for bucket = 0, 2 ^ totals.bits - 1 do
        local name = string.format('%d', bucket)
        redis.call('UNLINK', PREFIX .. 's' .. name, PREFIX .. 'u' .. name)
    end
    for number = 1, totals.hosts do
        redis.call('UNLINK', PREFIX .. 'q' .. string.format('%d', number))
    end
    local of_the_crawl = { 'waiting', 'leased', 'done', 'dead', 'pages', 'hosts', 'flushes', 'deaths', 'evicted', 'evicting', 'unlooked', 'reissued' }
    for _, name in ipairs(of_the_crawl) do
        totals[name] = 0
    end
    return {}
end
