import type { BigIntStats } from 'node:fs'
import { Failure } from '@canopy/domain'

/** Why nothing can be looked up in what is not a directory: it is a file, or for Canopy nothing at all. */
export const notADirectory = (stats: BigIntStats): Failure.FileNotFound | Failure.TypeMismatch =>
  stats.isFile() ? Failure.typeMismatch : Failure.fileNotFound
