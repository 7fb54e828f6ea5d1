import { PageHeader } from '#ui/data/page-header.tsx'
import { EraseForm } from './erase-form.tsx'
import { RequestTable } from './request-table.tsx'
import { Suppressions } from './suppressions.tsx'

/** Erasing people, keeping them away, and what people asked for themselves. */
export default function OperatorPrivacyPage() {
  return (
    <>
      <PageHeader title="Privacy" description="People of the catalogue who do not want to be in it." />
      <EraseForm />
      <Suppressions />
      <RequestTable />
    </>
  )
}
