-- Several targets, one after the other, when a file of them is given; and the summary as JSON in the last line.
local requests = {}
local at = 0

function init(arguments)
  if arguments[1] == nil then return end
  for path in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format('GET', path) end
  request = function()
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"bytes":%d,"microseconds":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.bytes, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
