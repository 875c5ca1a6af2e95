-- Runs the operation that the caller asks for; before its answer stands its place in time.
if not load_totals() then
    return false -- the server has lost everything
end
local answer = operations[ARGV[2]]({ unpack(ARGV, 3) })
save_totals()
return { { totals.epoch, totals.loss }, unpack(answer) }
