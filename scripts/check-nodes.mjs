// Runs every test on each supported version of Node, from the npm package `node`, without a new build.
import { spawnSync } from 'node:child_process'

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24', '26']

const failed = versions.filter((version) => {
  console.log(`\nNode ${version}`)
  const { status } = spawnSync(
    'npx',
    ['--yes', '-p', `node@${version}`, '-c', 'node --version && node_modules/.bin/vitest run'],
    { stdio: 'inherit' },
  )
  return status !== 0
})

console.log(
  failed.length === 0 ? `\nGreen on Node ${versions.join(', ')}.` : `\nNot green on Node ${failed.join(', ')}.`,
)
process.exitCode = failed.length === 0 ? 0 : 1
