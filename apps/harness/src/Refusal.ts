/** Why the command looked into nothing, and what to do. `exit` is 2 when it was used wrongly. */
export interface Refusal {
  readonly message: string
  readonly exit: 1 | 2
}

export const wrongUsage = (message: string): Refusal => ({ message, exit: 2 })

export const failed = (message: string): Refusal => ({ message, exit: 1 })
