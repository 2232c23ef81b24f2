import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Resolves when objects that only earlier code held are gone. */
export const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  await sleep(0)
  gc()
}
