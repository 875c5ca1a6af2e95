-- What is kept of a URL that is queued or leased: its host, its attempts, and the client's own packed text.
-- Records lie in bucketed hashes, in pieces that keep a hash packed (Redis packs values of up to 64 bytes).
local PIECE, MOST_PIECES, IN_LONG = 64, 4, 255
local HEAD = '>I4HB' -- host's number, attempts, how many pieces follow

local function bucket_key(mark)
    return PREFIX .. 'u' .. bucket_of(mark)
end

local function put_record(mark, id, attempts, packed)
    local size = 7 + #packed
    local more = math.ceil(size / PIECE) - 1
    if more >= MOST_PIECES then
        more = IN_LONG
    end
    local whole = struct.pack(HEAD, tonumber(id), math.min(attempts, 65535), more) .. packed
    local key = bucket_key(mark)
    if more == 0 then
        redis.call('HSET', key, mark, whole)
    elseif more == IN_LONG then
        redis.call('HSET', key, mark, string.sub(whole, 1, PIECE))
        redis.call('HSET', LONG, mark, string.sub(whole, PIECE + 1))
    else
        local pieces = { mark, string.sub(whole, 1, PIECE) }
        for piece = 1, more do
            pieces[#pieces + 1] = mark .. string.char(piece)
            pieces[#pieces + 1] = string.sub(whole, piece * PIECE + 1, (piece + 1) * PIECE)
        end
        redis.call('HSET', key, unpack(pieces))
    end
end

-- The host's number, attempts, pieces that follow, the first piece; nothing when the URL is neither queued nor leased.
local function find(mark)
    local first = #mark == 8 and redis.call('HGET', bucket_key(mark), mark)
    if not first or #first < 7 then
        return nil
    end
    local id, attempts, more = struct.unpack(HEAD, first)
    return string.format('%d', id), attempts, more, first
end

local function packed_of(mark, more, first)
    local parts = { string.sub(first, 8) }
    if more == IN_LONG then
        parts[2] = redis.call('HGET', LONG, mark) or ''
    else
        for piece = 1, more do
            parts[#parts + 1] = redis.call('HGET', bucket_key(mark), mark .. string.char(piece)) or ''
        end
    end
    return table.concat(parts)
end

local function set_attempts(mark, id, attempts, more, first)
    local head = struct.pack(HEAD, tonumber(id), math.min(attempts, 65535), more)
    redis.call('HSET', bucket_key(mark), mark, head .. string.sub(first, 8))
end

local function drop_record(mark)
    local _, _, more = find(mark)
    local key = bucket_key(mark)
    redis.call('HDEL', key, mark)
    if more == IN_LONG then
        redis.call('HDEL', LONG, mark)
    else
        for piece = 1, more or 0 do
            redis.call('HDEL', key, mark .. string.char(piece))
        end
    end
end
