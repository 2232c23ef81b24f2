import { readdirSync, readFileSync } from 'node:fs'

/** The processes that a process has started and that have not ended. */
export const children = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
