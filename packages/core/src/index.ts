// The public API of core, grouped by task. test/surface.test.ts keeps the list.

// asks, answers and outcomes
export { type Answer, type AnswerDigests, answerDigests, type CheckedAnswer, checkAnswer } from './ask/answer.ts'
export { liftComment } from './ask/answer-comment.ts'
export { type AnswerWarning, answerWarnings } from './ask/answer-warnings.ts'
export {
  type Ask,
  type AskCaller,
  type AskDraft,
  type AskState,
  answer,
  askAt,
  acceptedBy,
  type CastVote,
  draftProblem,
  expire,
  type FastAnswer,
  type StoredVote,
  type AskTransition,
  mayCancel,
  needsSeveral,
  raise,
  type Surface,
  type Vote,
  type WithdrawReason,
  withdraw,
} from './ask/ask.ts'
export { approved, decisionForm, isApprovalForm, isDecision } from './ask/decision.ts'
export { type Approver, approverNames, type Person } from './ask/approver.ts'
export {
  type ApprovalRule,
  approvalProblem,
  groupsNamed,
  isApprovedBy,
  mayDecide,
  maySee,
  ruleOf,
  soleApprover,
} from './ask/approval-rule.ts'
export { approvalNeeds } from './ask/approval-text.ts'
export {
  type ApprovalFactor,
  type ApprovalRequirement,
  approvalsMissing,
  mayApprove,
  meetsRequirements,
} from './ask/approval-places.ts'
export { type AskOutcome, isYes, askOutcomeOf } from './ask/outcome.ts'
export {
  type AnswerName,
  type NamedOutcome,
  nameAnswer,
  nameContent,
  namedOutcomeOf,
  namedOutcomes,
  type Verdict,
  verdicts,
} from './ask/person-answer.ts'
export type { AskingCall, Question, SecretPage } from './ask/question.ts'
export { type OpenLimitName, isTooManyOpen, type OpenLimits, TooManyOpen } from './ask/open-limits.ts'

// forms
export {
  boolean,
  type ChoicesFieldSettings,
  choice,
  choices,
  form,
  type ListFieldSettings,
  list,
  type NumberFieldSettings,
  number,
  type ChoiceOptions,
  optional,
  type FieldSpec,
  type TextFieldSettings,
  text,
} from './form/build.ts'
export { type CheckedContent, type ContentCheckOptions, type ContentIssue, checkContent } from './form/check.ts'
export { encodeForm, type Revision2025 } from './form/encode.ts'
export type { EncodedForm } from './form/encode-2025-06-18.ts'
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Content,
  ContentOf,
  Field,
  FieldValue,
  Form,
  FormOf,
  ListField,
  NumberField,
  Option,
  TextField,
  TextFormat,
  TextRules,
} from './form/form.ts'
export { mustBeFilled } from './form/form.ts'
export { listOfText, textOfList } from './form/list-text.ts'
export { type CompiledPattern, type CompilePattern, trustedPatterns } from './form/patterns.ts'
export type { FormProblem, ProblemCode } from './form/problems.ts'
export { type FormRead, readForm } from './form/read.ts'

// show text, links and forms of a server safely
export type { ShownHost } from './screen/host.ts'
export type { UrlWarning, UrlWarningCode } from './screen/host-warnings.ts'
export { looksLikeSecret, type SecretShape } from './screen/secret-shapes.ts'
export { contradicts, screenOptions } from './screen/options.ts'
export { type QuestionPart, type ScreenedField, type SecretFinding, screenForSecrets } from './screen/secrets.ts'
export {
  oneLine,
  shownInTerminal,
  shownOnOneLine,
  type TextOptions,
  type TextSurface,
  visibleText,
} from './screen/text.ts'
export { screenUrl, type UrlOptions, type UrlRefusal, type UrlScreening } from './screen/url.ts'

// the views of the inbox API
export { askView, type DisplayNames } from './inbox/ask-view.ts'
export { drawField } from './inbox/draw-field.ts'
export { askerName, callerText, whoAsks, whoAsksInFull } from './inbox/who-asks.ts'
export { agoText, endingText } from './inbox/ending-text.ts'
export type {
  JsonFieldView,
  PlayBody,
  PlayFieldView,
  PlayRunView,
  PlayToolView,
  PlayView,
} from './inbox/play-view.ts'
export type {
  AgentsView,
  AnswerBody,
  AnsweredView,
  AnswerStatistics,
  AskPageView,
  ChainView,
  ChangeView,
  StatisticsView,
  HandOverBody,
  InboxProblem,
  InboxProblemCode,
  LoginStartView,
  MeView,
  NonceView,
  OneAskView,
  PasskeyAddBody,
  PasskeyAddStartView,
  PasskeyAuthoriseBody,
  PasskeyAuthoriseView,
  PasskeyCreationView,
  PasskeyRemoveStartView,
  PasskeyRequestView,
  PasskeysView,
  PersonStatistics,
  PolicyStatistics,
  PresenceBody,
  PresenceNoticeView,
  PresenceStartView,
  ProofView,
  SealedSecret,
  SignedInView,
  SignInView,
  ToolStatistics,
  TrendStatistics,
} from './inbox/api.ts'
export type {
  AnsweredAs,
  AskerView,
  AskView,
  BooleanFieldView,
  ButtonView,
  ChoiceFieldView,
  ChoicesFieldView,
  CallView,
  DeclaredView,
  DecisionView,
  DrawnValue,
  FieldView,
  LinkView,
  ListFieldView,
  NumberFieldView,
  OptionView,
  PersonView,
  QuestionView,
  QuorumView,
  SecretView,
  StateView,
  TextFieldView,
  VoteView,
} from './inbox/view.ts'

// digests and canonical JSON
export {
  type Action,
  actionDigest,
  type RequestIdentity,
  requestDigest,
  toolDefinitionDigest,
} from './digest/action.ts'
export {
  type AcceptedDefinition,
  definitionIn,
  isSignedDefinition,
  type PinnedDefinition,
  pinnedDefinition,
  signDefinition,
} from './definition/pinned-definition.ts'
export { canonicalJson } from './digest/canonical.ts'
export { type DigestDomain, digestOf, isDigest } from './digest/digest.ts'
export { parseJsonStrictly, type ReadingRules, readJson } from './digest/parse.ts'

// `_meta` members between SDK and gateway
export {
  type AnswerMeta,
  type AskMeta,
  answerMeta,
  answerMetaKey,
  askCapability,
  askMeta,
  askMetaKey,
  checkedBlock,
  problemMark,
  readAnswerMeta,
  readAskMeta,
  understandsAskMeta,
  withoutChecked,
} from './ask/ask-meta.ts'

export {
  actionMeta,
  actionMetaKey,
  actionMetaOf,
  type DeclaredAction,
  readDeclaredAction,
} from './ask/declared-action.ts'

// passkeys and decisions that need one
export {
  type Assertion,
  type AssertionCheck,
  type AssertionResponse,
  isAssertion,
  isAssertionResponse,
  type PasskeyAlgorithm,
  verifyAssertion,
} from './presence/assertion.ts'
export { actionDigestOf, askChallenge } from './ask/presence-challenge.ts'
export {
  isPresenceSetting,
  isWeakerPresence,
  needsPresence,
  type PresenceSetting,
  presenceSettings,
  requiresPresence,
  stricterPresence,
} from './ask/needs-presence.ts'
export {
  isSignedPasskey,
  type PasskeyChange,
  newPasskeyDigest,
  passkeyChallenge,
  type PasskeyTerms,
  signPasskey,
} from './presence/passkey.ts'

// sealed state
export { createKeyRing, type KeyRing, type MacPurpose, type RingKey, type SealKey } from './seal/key-ring.ts'
export {
  isSealedFor,
  type SealBinding,
  type SealRefusal,
  seal,
  stateRefused,
  type Unsealed,
  unseal,
} from './seal/seal.ts'

// signatures of asks, votes and grants
export {
  type AskTerms,
  askTerms,
  checkPresence,
  presenceProblem,
  type GrantTerms,
  grantSignatureProblem,
  type SignatureProblem,
  type StoredSignatures,
  signAsk,
  signatureProblem,
  signatureProblemText,
  signGrant,
  signVote,
} from './ask/ask-signature.ts'

// audit log
export {
  type AuditEntry,
  assertionIn,
  isErased,
  leafHashText,
  leafOf,
} from './audit/entry.ts'
export { type ErasureBody, Erasures, erasureSubject } from './audit/erasure.ts'
export type { AuditKind } from './log/audit-kinds.ts'
export { type EntriesVerdict, LogVerifier } from './audit/log-verifier.ts'
export { type AuditProof, type ProofVerdict, type ProvenEntry, proofFormat, verifyProof } from './audit/proof.ts'

// the formats of a transparency log
// – leaves, tiles and checkpoints, for the sequencer
export { type AuditLeaf, assertionDigest, encodeLeaf, isBodyOf, parseLeaf, saltedDigest } from './log/leaf.ts'
export { leafHash, type TreeState, verifyConsistency, verifyInclusion } from './log/merkle.ts'
export { type Appended, appendLeaves, edgeOf, emptyEdge, type HashTile, type RightEdge, rootOf } from './log/append.ts'
export { encodeBundle, parseBundle } from './log/bundle.ts'
export { isOriginOf, logOrigin } from './log/origin.ts'
export { edgeTiles, parseTilePath, type TileRef, tileIn, tilePath, tileWidth } from './log/tile.ts'
export { signTreeHead, type TreeHead } from './log/tree-head.ts'
// – keys and verification, for the program
export { type NoteKey, type NoteSigner, noteKey, parseVerifierKey, verifierKey } from './log/note-key.ts'
export { openCheckpoint, type OpenedCheckpoint } from './log/tree-head.ts'
export { consistencyProof, inclusionProof, type ReadTile, type TileProof } from './log/tile-proofs.ts'
export { formatLogProof, type LogProof, parseLogProof, verifyLogProof } from './log/proof-file.ts'
export { type LogVerdict, type ReadExport, verifyLogExport } from './log/verify-export.ts'
export { ExportedBodies } from './audit/exported-bodies.ts'
export { exportLogFiles, type LogExport, type LogExported } from './log/export-log.ts'

// receipts
export { type ReceiptStatement, signReceipt, type VerifiedReceipt, verifyReceipt } from './receipt/receipt.ts'

// limits, errors, names
export { AssentError, type ErrorCode, isAssentError } from './errors.ts'
export { compact } from './compact.ts'
export { type IdKind, isId, isName, newId, timeOfId, type RandomBytes } from './ids.ts'
export { randomPool } from './random-pool.ts'
export { isPlainObject, type JsonObject, type JsonValue } from './json.ts'
export {
  askLimits,
  formLimits,
  logLimits,
  presenceLimits,
  retentionLimits,
  sealLimits,
  secretLimits,
} from './limits.ts'
export { type Revision, revisions } from './revisions.ts'
