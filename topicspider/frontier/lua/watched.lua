-- While somebody exports the crawl, what leaves the queue is noted down: see records.py, which says what for.
local GONE = PREFIX .. 'gone'
local WATCHED_SECONDS = 60 -- without a call, an export is over

local function note_gone(host, mark)
    if totals.watched <= now then
        return
    end
    local id, attempts, more, first = find(mark)
    local minus = id and tonumber(redis.call('ZSCORE', queue_key(id), mark))
    if minus then
        local head = struct.pack('>c8dI4I4c0', mark, minus, attempts, #host.name, host.name)
        redis.call('RPUSH', GONE, head .. packed_of(mark, more, first))
    end
end
