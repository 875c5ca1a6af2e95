-- Looking at the nodes, and asking one of them something.

-- Pages fetched twice, URLs handed out again, the best rate of a node alone; of each node its name, seconds since it was heard of, what
-- it said and what it is asked; of each lease the host and its node.
function operations.nodes()
    now = time_now()
    local heard, told, held = redis.call('ZRANGE', PREFIX .. 'heard', 0, -1, 'WITHSCORES'), {}, {}
    for index = 1, #heard, 2 do
        local name = heard[index]
        local text, asked = redis.call('HGET', PREFIX .. 'nodes', name), redis.call('HGET', PREFIX .. 'asked', name)
        told[#told + 1] = { name, exact(now - heard[index + 1]), text or '', asked or '' }
    end
    local all = redis.call('HGETALL', LEASES)
    for index = 1, #all, 2 do
        local host = load_host(all[index])
        if host then
            held[#held + 1] = { host.name, lease_of(all[index]).node }
        end
    end
    return { place_in_time(), totals.duplicates, totals.reissued, exact(totals.alone), told, held }
end

-- ARGV: the node, what it is to do.
function operations.ask(arguments)
    look_at_the_clock()
    redis.call('HSET', PREFIX .. 'asked', arguments[1], arguments[2])
    save_totals()
    return { place_in_time() }
end
