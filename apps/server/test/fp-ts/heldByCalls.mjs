// How many of so many calls of a module's `tryCatch` hold what they held, long after their end and some quick rounds of the
// collector: `node --expose-gc heldByCalls.mjs MODULE CALLS`.
import { setTimeout } from 'node:timers/promises'

const [module, calls] = process.argv.slice(2)
const { tryCatch } = await import(module)
const bytes = 2 ** 20

const call = async () => {
  const held = new ArrayBuffer(bytes)
  await tryCatch(() => Promise.resolve(held.byteLength), String)()
}

const bytesHeld = async () => {
  for (let round = 0; round < 4; round += 1) {
    gc({ type: 'minor' })
    await setTimeout(1)
  }
  return process.memoryUsage().arrayBuffers
}

await call()
gc()
const before = await bytesHeld()
for (let index = 0; index < Number(calls); index += 1) {
  await call()
  if (index % 5 === 0) gc({ type: 'minor' })
}
console.log(Math.round((await bytesHeld()) - before) / bytes)
