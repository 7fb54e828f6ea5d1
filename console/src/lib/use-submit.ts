import { type FormEvent, useState } from 'react'

/** Sends a form: `failure` is why the last try failed, until the next one begins. */
export function useSubmit(send: () => Promise<unknown> | undefined) {
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    const sending = send()
    if (sending === undefined) return
    setIsPending(true)
    setFailure(undefined)
    try {
      await sending
    } catch (error) {
      setFailure(error)
    } finally {
      setIsPending(false)
    }
  }
  return { submit, isPending, failure }
}
