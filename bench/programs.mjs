import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian puts servers where only root looks. */
const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin']

const executable = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where a program is, if it is installed. */
export const found = (name) =>
  places
    .filter((place) => place !== '')
    .map((place) => join(place, name))
    .find(executable)

const versionIn = /\d+\.\d+(\.\d+)?/

/** `nginx -v` speaks on stderr, `wrk -v` with an exit code of 1. */
export const versionOf = (name, parameter) => {
  const path = found(name)
  if (path === undefined) return undefined
  const { stdout, stderr } = spawnSync(path, [parameter], { encoding: 'utf8' })
  return versionIn.exec(stdout + stderr)?.[0] ?? 'of unknown version'
}
