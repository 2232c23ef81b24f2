// With `dual` fp-ts makes what takes its data first or last, such as every `flatMap`. Its own turns `arguments` into an array
// at each call, by iterating it: 20 times the cost of all the rest.
export * from 'fp-ts/lib/function.js'

export const dual = (arity, body) => {
  const isDataFirst = typeof arity === 'number' ? (parameters) => parameters.length >= arity : arity
  return (...parameters) => (isDataFirst(parameters) ? body(...parameters) : (self) => body(self, ...parameters))
}
