import { fileURLToPath } from 'node:url'
import { freePort } from '@canopy/test-support'
import { firstAnswer } from '../http.mjs'
import { startProcess } from '../processes.mjs'

const startScript =
  (name, script) =>
  async (answersFile, firstPath = '/') => {
    const port = await freePort()
    const path = fileURLToPath(new URL(script, import.meta.url))
    const server = startProcess(process.execPath, [path, String(port), answersFile])
    await firstAnswer(server, port, firstPath)
    return { name, port, ...server }
  }

export const startBareKoa = startScript('bare Koa', 'bareKoa.mjs')
export const startRawHttp = startScript('raw node:http', 'rawHttp.mjs')
