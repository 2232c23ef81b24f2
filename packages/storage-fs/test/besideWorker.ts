import { Worker } from 'node:worker_threads'

/** Does something while a thread repeats `round`, a script that knows `fs` and the directory `at`. */
export const besideWorker = async <A>(round: string, at: string, act: () => Promise<A>): Promise<A> => {
  const script = `const fs = require('node:fs'); const at = require('node:worker_threads').workerData; for (;;) { ${round} }`
  const worker = new Worker(script, { eval: true, workerData: at })
  const failed = new Promise<never>((_, reject) => worker.once('error', reject))
  try {
    return await Promise.race([act(), failed])
  } finally {
    await worker.terminate()
  }
}
