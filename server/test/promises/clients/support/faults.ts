import type { Random, Weighted } from '../../../../../catalogue/build/random.ts'

/** What a fault proxy does with one exchange. */
export type Fault =
  | 'pass'
  /** The connection is cut before the request reaches the service. */
  | 'cut_before'
  /** The caller's connection is cut while the service works; the service finishes without noticing. */
  | 'cut_during'
  /** Both connections are cut while the service works. */
  | 'abandon'
  /** The service has answered; the caller gets nothing of it. */
  | 'cut_after'
  /** The caller gets the beginning of the answer, which may end within its headers. */
  | 'cut_midway'
  | 'delay'
  /** The service gets the request twice at the same time; the caller gets one of the answers. */
  | 'repeat'
  /** The service has answered; the caller gets nothing more, or only the beginning, until it hangs up. */
  | 'stall'
  /** The proxy answers 503 itself, as a load balancer would. */
  | 'unavailable'

/** Whether the caller gets an answer of the service all the same. */
export const isAnswered = (fault: Fault): boolean => fault === 'pass' || fault === 'delay' || fault === 'repeat'

export type FaultWeights = Partial<Record<Fault, number>>

/** About two of five exchanges fail for the caller. A stall is for callers that wait for a short time only. */
export const roughNetwork: FaultWeights = {
  pass: 40,
  cut_before: 7,
  cut_during: 7,
  abandon: 5,
  cut_after: 8,
  cut_midway: 8,
  delay: 10,
  repeat: 8,
  unavailable: 7,
}

export function drawFault(random: Random, weights: FaultWeights): Fault {
  const choices = Object.entries(weights).map(([value, weight]) => ({ value, weight })) as Weighted<Fault>[]
  return random.weighted(choices)
}
