// Loaded into a server before its own code: at each SIGUSR2 it tells, as a line of its log, how many bytes quick rounds of the
// collector leave behind for a full one.
const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const oldSpace = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith('old_') || space_name.startsWith('large_'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0)

process.on('SIGUSR2', () => {
  for (let round = 0; round < 3; round += 1) collect({ type: 'minor' })
  process.stdout.write(`${JSON.stringify({ msg: 'held', bytes: oldSpace() + process.memoryUsage().arrayBuffers })}\n`)
})
