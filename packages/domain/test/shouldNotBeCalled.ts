/** Stands for a port that the operation must not reach. */
export const shouldNotBeCalled = (): never => {
  throw new Error('should not be called')
}
