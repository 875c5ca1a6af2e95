-- Runs the operation that the caller asks for. The answer begins with the crawl's epoch and how the one before ended.
if not load_totals() then
    return false -- the server has lost everything
end
local answer = operations[ARGV[2]]({ unpack(ARGV, 3) })
save_totals()
return { { totals.epoch, totals.loss }, unpack(answer) }
