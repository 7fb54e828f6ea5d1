import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ExportJob } from '#api/exports.ts'
import { isActive, reloadAfterExport } from './export-queries.ts'

/** Balances and lists are asked for anew once it has ended in sight. */
export function useReloadAtEnd(account: string, job: ExportJob | undefined): void {
  const client = useQueryClient()
  const wasActive = useRef(false)
  const isNowActive = job !== undefined && isActive(job)
  useEffect(() => {
    if (wasActive.current && !isNowActive) reloadAfterExport(client, account)
    wasActive.current = isNowActive
  }, [isNowActive, client, account])
}
