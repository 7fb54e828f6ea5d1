import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call, randomKey } from '#api/client.ts'
import { ApiFailure } from '#api/failure.ts'
import { reload } from '#api/query.ts'
import { useSaveSetting } from '#api/settings.ts'
import type { ExportQuote, ExportRequest } from '../exports/api.ts'
import { keepExport } from '../exports/api.ts'
import { formatIdOf, settingGroup } from './export-form-state.ts'
import { exportQuoteQuery } from './quote-section.tsx'

interface StartOptions {
  account: string
  onStarted: (id: string) => void
}

interface Attempt {
  request: string
  quote: string
  key: string
}

/** Starts an export that spends at most what was shown. A try whose answer was lost is repeated as it was. */
export function useStart({ account, onStarted }: StartOptions) {
  const client = useQueryClient()
  const save = useSaveSetting()
  const lost = useRef<Attempt>(undefined)
  const [isStarting, setIsStarting] = useState(false)
  const [error, setError] = useState<unknown>()

  const prepare = async (request: ExportRequest, shown: ExportQuote | undefined): Promise<Attempt | undefined> => {
    const text = JSON.stringify(request)
    if (lost.current?.request === text) return lost.current
    const quote = await client.fetchQuery(exportQuoteQuery(account, request))
    // It costs more than what was read: it is shown first.
    if (shown && (quote.credits > shown.credits || quote.new_exports > shown.new_exports)) return undefined
    return { request: text, quote: quote.quote, key: randomKey() }
  }

  const start = async (request: ExportRequest, shown: ExportQuote | undefined) => {
    setIsStarting(true)
    setError(undefined)
    let attempt: Attempt | undefined
    try {
      attempt = await prepare(request, shown)
      if (!attempt) return
      const job = await call('createExport', {
        account,
        body: { ...request, quote: attempt.quote },
        headers: { 'Idempotency-Key': attempt.key },
      })
      keepExport(client, account, job)
      // A choice that could not be kept is made again.
      save({ group: settingGroup, name: 'format', value: formatIdOf(request) }).catch(() => undefined)
      onStarted(job.id)
    } catch (failure) {
      const isUnknown = !(failure instanceof ApiFailure) || failure.status === 0 || failure.status >= 500
      lost.current = isUnknown ? attempt : undefined
      if (!isUnknown) void reload(client, 'createQuote')
      setError(failure)
    } finally {
      setIsStarting(false)
    }
  }
  return { start, isStarting, error }
}
