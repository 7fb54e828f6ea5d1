import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { reload } from '#api/query.ts'
import { FileField } from '#ui/fields/file-field.tsx'
import { Segmented } from '#ui/fields/segmented.tsx'
import { type ImportKind, keepImport } from '../api.ts'
import { acceptedEndings, importKindNames } from './labels.ts'
import { startUpload } from './uploads.ts'

const kindOptions = (Object.keys(importKindNames) as ImportKind[]).map((id) => ({ id, label: importKindNames[id] }))

/** The kind of file, and the file. The upload begins at once; nothing is imported by it. */
export function NewImport() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [kind, setKind] = useState<ImportKind>('stores')
  const begin = useMutation({
    mutationFn: async (file: File) => {
      const modified = new Date(file.lastModified).toISOString()
      const body = { kind, file_name: file.name, bytes: file.size, modified_at: modified }
      const reply = await call('createImport', { body })
      const { id } = reply.import
      keepImport(queryClient, reply)
      startUpload(id, file, 0, () => reload(queryClient, 'listImports', 'getImport'))
      await navigate({ to: '/operator/imports/$import', params: { import: String(id) } })
    },
  })
  return (
    <section aria-label="New import" className="mb-8 space-y-3">
      <Segmented
        label="The file has"
        options={kindOptions}
        value={kind}
        onChange={setKind}
        className="justify-start!"
      />
      <FileField
        label="Drop a file here"
        buttonLabel="Choose a file"
        description="A workbook (.xlsx), CSV, NDJSON or JSON, the texts also with .gz; up to 2 GB. You see how it is read before anything is imported."
        accepts={acceptedEndings}
        onSelect={(file) => begin.mutate(file)}
        isPending={begin.isPending}
        errorMessage={begin.error ? messageOf(begin.error) : undefined}
      />
    </section>
  )
}
