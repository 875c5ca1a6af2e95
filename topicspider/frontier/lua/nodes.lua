-- Who crawls: of each node what it said of itself last, when that was, and what somebody asked it to do.
local hear
do -- a function of Lua has 200 local names at most
    local NODES, HEARD, ASKED = PREFIX .. 'nodes', PREFIX .. 'heard', PREFIX .. 'asked'
    local KEPT_SECONDS, MOST_NODES = 86400, 1000 -- of those that say no more
    local ALONE_SECONDS = 75 -- a node's rate is that of a minute: for so long nobody else was heard of

    local function forget(names)
        if #names > 0 then
            redis.call('HDEL', NODES, unpack(names))
            redis.call('HDEL', ASKED, unpack(names))
            redis.call('ZREM', HEARD, unpack(names))
        end
    end

    -- Returns what the node is asked to do, "" for nothing. ``rate``: its pages a second over a whole minute, -1 when there was none.
    hear = function(node, text, rate)
        redis.call('HSET', NODES, node, text)
        redis.call('ZADD', HEARD, now, node)
        forget(redis.call('ZRANGEBYSCORE', HEARD, '-inf', exact(now - KEPT_SECONDS), 'LIMIT', 0, 100))
        local surplus = redis.call('ZCARD', HEARD) - MOST_NODES
        if surplus > 0 then
            forget(redis.call('ZRANGE', HEARD, 0, math.min(surplus, 100) - 1))
        end
        if rate > totals.alone and redis.call('ZCOUNT', HEARD, exact(now - ALONE_SECONDS), '+inf') == 1 then
            totals.alone = rate
        end
        return redis.call('HGET', ASKED, node) or ''
    end
end
