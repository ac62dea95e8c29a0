// Words that mean yes or no to an action, by language. The notation is explained in term-patterns.ts.
//
// "Yes" allows something (approve, delete), "no" stops it (deny, keep). The list only decides whether the value of an
// option is shown beside its label, so an additional word does no harm.

export const yesTerms = `
    accept* | agree* | allow* | apply | approv* | confirm* | continue | delete* | deploy* | drop | enable* | erase*
    execute | go ahead | grant* | install* | merge | ok | okay | overwrite* | permit* | proceed | publish | purge | push
    remove* | run | send | true | wipe* | yes
    akzeptier* | bestätig* | erlaub* | genehmig* | ja | löschen | weiter | zulassen | zustimm*
    aceptar | aprobar | borrar | confirmar | eliminar | permitir | sí
    accepter | approuver | autoriser | confirmer | effacer | oui | supprimer
    accetta* | approva* | conferma* | consenti* | elimina* | sì
    akkoord | bevestig* | goedkeur* | toestaan | verwijder*
    potwierdź* | tak | usuń* | zatwierdź* | zezwól*
    aceitar | aprovar | apagar | excluir | sim
    да | одобрить | подтвердить | принять | разрешить | удалить
    evet | onayla* | izin ver* | kabul et* | sil
    *はい* | *許可* | *承認* | *削除* | *同意*
    *네* | *예* | *승인* | *허용* | *삭제* | *동의*
    *是* | *同意* | *允许* | *允許* | *批准* | *删除* | *刪除* | *确认* | *確認*
    *نعم* | *موافق* | *السماح* | *حذف*`

export const noTerms = `
    abort* | block* | cancel* | decline* | deny | denied | disable* | disagree* | disallow* | discard | dismiss
    don t | dont | false | forbid* | halt | ignore | keep* | never | no | not | nope | prevent* | refuse* | reject*
    retain* | revoke* | skip* | stop*
    abbrechen | ablehn* | behalten | nein | nicht | verbieten | verweiger*
    cancelar | conservar | denegar | mantener | rechazar
    annuler | conserver | garder | non | refuser | rejeter
    annulla* | conserva* | mantieni* | nega* | rifiuta*
    afwijz* | annuleer* | behoud* | nee | weiger*
    anuluj* | nie | odrzuć* | odmów* | zachowaj*
    manter | não | negar | recusar | rejeitar
    запретить | нет | не | оставить | отклонить | отмена | отменить | сохранить
    hayır | iptal | reddet* | sakla* | vazgeç*
    *いいえ* | *拒否* | *却下* | *キャンセル* | *保持*
    *아니* | *거부* | *거절* | *취소* | *유지*
    *不* | *否* | *拒绝* | *拒絕* | *取消* | *保留*
    *لا* | *رفض* | *إلغاء*`
