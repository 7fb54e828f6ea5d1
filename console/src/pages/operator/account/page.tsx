import { useParams } from '@tanstack/react-router'
import { PageHeader } from '#ui/data/page-header.tsx'

export default function OperatorAccountPage() {
  const { account } = useParams({ from: '/app/operator/accounts/$account' })
  return <PageHeader title={account} />
}
