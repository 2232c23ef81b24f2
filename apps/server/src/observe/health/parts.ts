/** What the service needs to be ready, by the names that `/readyz` tells. */
export const parts = ['registry', 'storage'] as const

export type Part = (typeof parts)[number]
