import { external } from './errors/external.js'
import { fileNotFound } from './errors/fileNotFound.js'
import { invalidToken } from './errors/invalidToken.js'
import { notVerified } from './errors/notVerified.js'
import { orderOfChecks } from './errors/orderOfChecks.js'
import { permissionDenied } from './errors/permissionDenied.js'
import { triggerNotFound } from './errors/triggerNotFound.js'
import { typeMismatch } from './errors/typeMismatch.js'
import type { Scenario } from './Scenario.js'

/** Every cell of the error table of the interface, part 7, and the order in which errors are decided. */
export const errorScenarios: ReadonlyArray<Scenario> = [
  ...invalidToken,
  ...notVerified,
  ...permissionDenied,
  ...fileNotFound,
  ...typeMismatch,
  ...external,
  ...triggerNotFound,
  ...orderOfChecks,
]
