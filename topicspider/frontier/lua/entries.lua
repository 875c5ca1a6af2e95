-- Links that were found, host by host: how many, of each its FOUND, then of each its REST. What nobody knows is queued, what is queued and worth more now rises.
local FOUND, FIELDS, FOUND_SIZE = 'c8dI4I4', 4, 24 -- of each link: mark, minus the score, bytes of its REST, host's place
local REST = '>I4Bc0Bc0' -- attempts, bucket and member of the seen-set; then the client's text
local AT_ONCE = 500 -- links that are unpacked together: Lua's stack is short

local function queue(host, mark, minus, attempts, packed)
    if is_empty(host) then
        host.entered = totals.flushes
    end
    redis.call('ZADD', queue_key(host.id), minus, mark)
    put_record(mark, host.id, attempts, packed)
    totals.waiting = totals.waiting + 1
    note_new(host, minus)
end

local fresh = {} -- marks of what this call queued, with minus the score

-- Whatever is worth less than it was stays as it is.
local function raise(id, mark, minus, before)
    if minus < before then
        redis.call('ZADD', QUEUE .. id, 'XX', 'LT', minus, mark)
        note_rescored(load_host(id), minus, before)
    end
end

-- The link is not queued: now it is, unless it ever was. Returns how many are new.
local function add_rest(packed, from, size, host_at, index, mark, minus)
    local attempts, bucket, member, at = struct.unpack(REST, packed, from)
    if redis.call('SADD', SEEN .. bucket, member) == 1 then
        queue(host_at(index, true), mark, minus, attempts, string.sub(packed, at, from + size - 1))
        fresh[mark] = minus
        return 1
    elseif fresh[mark] and redis.call('ZSCORE', QUEUE .. host_at(index, true).id, mark) then
        raise(host_at(index, true).id, mark, minus, fresh[mark])
        fresh[mark] = math.min(minus, fresh[mark])
    end
    return 0
end

-- Minus the scores of ``found[first]`` and what follows of the same host, by their places in ``found``; false for what is not queued.
local function read_scores(id, found, first, after, scores)
    local marks = {}
    for place = first, after - 1, FIELDS do
        marks[#marks + 1] = found[place]
    end
    for index, score in ipairs(redis.call('ZMSCORE', QUEUE .. id, unpack(marks))) do
        scores[first + FIELDS * (index - 1)] = score
    end
end

-- Some links; of most it is enough to know that they are queued.
local function add_links(packed, from, count, rest, host_at, id_at)
    local found = { struct.unpack('>' .. string.rep(FOUND, count), packed, from) }
    local scores, new, after = {}, 0, 1
    for place = 1, FIELDS * count, FIELDS do
        local mark, minus, size, index = found[place], found[place + 1], found[place + 2], found[place + 3]
        local id, before = id_at(index), scores[place]
        if id and place == after then
            after = place + FIELDS
            while found[after + 3] == index do
                after = after + FIELDS
            end
            if after > place + FIELDS then
                read_scores(id, found, place, after, scores)
                before = scores[place]
            else
                before = redis.call('ZSCORE', QUEUE .. id, mark)
            end
        elseif place == after then
            after = place + FIELDS
        end
        before = before and tonumber(before)
        if not before then
            new = new + add_rest(packed, rest, size, host_at, index, mark, minus)
        else
            raise(id, mark, minus, before)
        end
        rest = rest + size
    end
    return rest, new
end

local function add_entries(packed, host_at, id_at)
    if #packed == 0 then
        return 0
    end
    local count, from = struct.unpack('>I4', packed)
    local rest, new = from + count * FOUND_SIZE, 0
    for first = 0, count - 1, AT_ONCE do
        local fresh
        rest, fresh = add_links(packed, from + first * FOUND_SIZE, math.min(AT_ONCE, count - first), rest, host_at, id_at)
        new = new + fresh
    end
    make_room(new)
    return new
end
