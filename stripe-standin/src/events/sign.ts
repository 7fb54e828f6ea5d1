import { createHmac } from 'node:crypto'

/** The `Stripe-Signature` header of a body that is sent at `sentAtSeconds`. */
export function signatureHeader(body: string, secret: string, sentAtSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${sentAtSeconds}.${body}`).digest('hex')
  return `t=${sentAtSeconds},v1=${signature}`
}
