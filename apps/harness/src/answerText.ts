import type { Answer } from '@canopy/testkit'

export const answerText = (answer: Answer): string => ('error' in answer ? `error: ${answer.error}` : answer.body)
