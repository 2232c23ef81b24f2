import { probeMethods } from '../observe/health/answerProbes.js'
import { errorsOfProbe, errorsOfProbeHead, otherMethods } from './errorResponses.js'
import { constants, inEveryAnswer } from './headers.js'
import type { JsonObject } from './Json.js'
import { refTo } from './refTo.js'

interface Answered {
  readonly description: string
  readonly schema: string
  readonly examples: JsonObject
}

interface Probe {
  readonly summary: string
  readonly description: string
  readonly answers: Readonly<Record<number, Answered>>
}

const probes: Readonly<Record<string, Probe>> = {
  healthz: {
    summary: 'Whether the process answers',
    description: 'Answers as long as the process does. When there is no answer: restart it.',
    answers: {
      200: {
        description: 'It does.',
        schema: 'Health',
        examples: { healthy: { value: { type: 'health', status: 'ok' } } },
      },
    },
  },
  readyz: {
    summary: 'Whether requests should be sent here',
    description: 'Asks the registry and the storage. What it answers may be a second old.',
    answers: {
      200: {
        description: 'They should.',
        schema: 'Ready',
        examples: { ready: { value: { type: 'ready', status: 'ok' } } },
      },
      503: {
        description: 'They should not: parts of the service do not answer, or it was told to stop.',
        schema: 'NotReady',
        examples: {
          failed: { value: { type: 'ready', status: 'failed', failed: ['storage'] } },
          draining: { value: { type: 'ready', status: 'draining' } },
        },
      },
    },
  },
}

const headers = { ...inEveryAnswer, ...constants({ 'Cache-Control': 'no-store' }) }

const responses = ({ answers }: Probe, contentOf: (answered: Answered) => JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(answers).map(([status, answered]) => [
      status,
      { description: answered.description, headers, ...contentOf(answered) },
    ]),
  )

const json = ({ schema, examples }: Answered): JsonObject => ({
  content: { 'application/json': { schema: refTo('schemas', schema), examples } },
})

const pathItem = (name: string, probe: Probe): JsonObject => {
  const { summary, description } = probe
  const parameters = [refTo('parameters', 'X-Request-Id')]
  return {
    get: {
      operationId: name,
      tags: ['probes'],
      summary,
      description,
      parameters,
      responses: { ...responses(probe, json), ...errorsOfProbe },
    },
    head: {
      operationId: `${name}Head`,
      tags: ['methods'],
      summary: `Headers: ${summary}`,
      description: 'Status and headers of GET, without its body.',
      parameters,
      responses: { ...responses(probe, () => ({})), ...errorsOfProbeHead },
    },
    'x-other-methods': otherMethods(errorsOfProbe, probeMethods),
  }
}

/** How the service is: asked by balancers and supervisors, and answered also when nothing else is. */
export const probePaths: JsonObject = Object.fromEntries(
  Object.entries(probes).map(([name, probe]) => [`/${name}`, pathItem(name, probe)]),
)
