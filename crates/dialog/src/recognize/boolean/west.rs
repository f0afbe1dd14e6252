//! Yes and no in the languages of western Europe, without accents.

use super::Words;

pub(super) const ENGLISH: Words = Words {
    yes: &[
        "true", "yes", "yep", "yup", "yeah", "yea", "yah", "ya", "sure", "ok", "okay", "agree", "agreed", "yess",
        "yesss", "yas", "yeh", "aye", "okey",
    ],
    no: &["false", "nope", "nop", "no", "nah", "naw", "nay", "disagree", "not ok", "not okay", "noo", "nooo", "nopes"],
    maybe_yes: &[
        "absolutely", "affirmative", "all right", "alright", "by all means", "certainly", "correct", "definitely",
        "do it", "exactly", "fine", "for sure", "go ahead", "go for it", "good", "great", "i do", "i think so",
        "i guess so", "indeed", "its a deal", "it's a deal", "no problem", "no worries", "of course", "perfect",
        "please", "please do", "positive", "precisely", "right", "sounds good", "that works", "totally", "uh huh",
        "mhm", "why not", "will do", "works for me", "you bet", "you got it", "okie dokie", "cool", "deal", "gladly",
        "not bad", "with pleasure", "yessir", "confirm", "confirmed", "accept", "i accept", "approve",
    ],
    maybe_no: &[
        "absolutely not", "certainly not", "definitely not", "don't", "dont", "do not", "forget it", "hell no",
        "i don't think so", "i dont think so", "i'd rather not", "incorrect", "negative", "never", "never mind",
        "no thank you", "no thanks", "no way", "not at all", "not now", "not really", "of course not",
        "rather not", "stop", "unfortunately not", "wrong", "please don't", "not right", "reject", "decline",
    ],
    neither: &["not sure", "don't know", "dont know", "do not know", "no idea", "not yet sure", "yes or no", "no one"],
    alone_yes: &["y", "k", "kk", "ye", "1"],
    alone_no: &["n", "0"],
    negations: &["not", "don't", "dont", "never", "won't", "wont", "can't", "cannot", "isn't", "wouldn't", "doesn't"],
    ..Words::NONE
};

pub(super) const FRENCH: Words = Words {
    yes: &[
        "oui", "ouais", "ouaip", "ouep", "ui", "ok", "okay", "d'accord", "dacc", "vrai", "bien sur", "ca marche",
        "certain", "exact", "c'est sur", "surement", "volontiers", "yes",
    ],
    no: &[
        "non", "nan", "nope", "faux", "pas d'accord", "pas concorder", "pas ok", "pas bien", "pas sur du tout",
        "desaccord", "pas bon",
    ],
    maybe_yes: &[
        "absolument", "accepte", "affirmatif", "avec plaisir", "bien entendu", "bon", "c'est bon", "c'est ca",
        "certainement", "ca me va", "ca va", "concorder", "correct", "entendu", "evidemment", "exactement", "je veux bien",
        "je confirme", "juste", "mais si", "naturellement", "parfait", "pas de probleme", "pourquoi pas", "precisement",
        "sans probleme", "s'il te plait", "s'il vous plait", "super", "tout a fait", "vas y", "allez y", "je crois",
    ],
    maybe_no: &[
        "absolument pas", "aucunement", "bien sur que non", "en aucun cas", "incorrect", "jamais", "je ne crois pas",
        "je ne pense pas", "negatif", "non merci", "pas", "pas du tout", "pas question", "pas vraiment",
        "certainement pas", "surtout pas", "laisse tomber", "refuse",
    ],
    neither: &["je ne sais pas", "sais pas", "pas sur", "pas sure", "pas certain", "oui ou non"],
    alone_yes: &["o", "si", "sur", "sure", "1"],
    alone_no: &["n", "0"],
    negations: &["pas", "ne", "jamais"],
    ..Words::NONE
};

pub(super) const GERMAN: Words = Words {
    yes: &[
        "ja", "jap", "jep", "jepp", "jo", "joa", "jup", "yes", "ok", "okay", "okey", "wahr", "klar", "naturlich", "einverstanden", "stimmt", "stimme zu", "jawohl", "sicher", "mache ich", "mach ich",
    ],
    no: &[
        "nein", "ne", "nee", "no", "noe", "nope", "falsch", "nicht ok", "nicht okay", "nicht einverstanden",
        "stimme nicht zu", "stimmt nicht",
    ],
    maybe_yes: &[
        "aber sicher", "abgemacht", "alles klar", "auf jeden fall", "bestimmt", "bitte", "definitiv", "doch", "du sagst es",
        "gebongt", "genau", "gerne", "gern", "gut", "in ordnung", "kein problem", "korrekt", "logo", "na klar", "passt",
        "prima", "richtig", "selbstverstandlich", "sehr gerne", "so ist es", "super", "top", "unbedingt", "warum nicht",
        "zustimmung", "absolut", "freilich", "bestatige", "denke schon", "glaube schon", "machen wir",
    ],
    maybe_no: &[
        "auf keinen fall", "auf gar keinen fall", "bloss nicht", "eher nicht", "gar nicht", "keinesfalls",
        "keineswegs", "lass es", "leider nein", "leider nicht", "lieber nicht", "mitnichten", "nein danke",
        "nicht wirklich", "nie", "niemals", "unwahr", "vergiss es", "auf keinem fall", "naturlich nicht", "bitte nicht",
        "nicht", "glaube nicht", "denke nicht", "ablehnen", "geht nicht",
    ],
    neither: &["nicht sicher", "weiss nicht", "weiss ich nicht", "keine ahnung", "ja oder nein"],
    alone_yes: &["j", "1"],
    alone_no: &["n", "0"],
    negations: &["nicht", "kein", "keine", "nie", "niemals"],
    ..Words::NONE
};

pub(super) const SPANISH: Words = Words {
    yes: &[
        "si", "claro", "ok", "okay", "okey", "vale", "por supuesto", "de acuerdo", "esta bien", "cierto", "verdadero", "sip",
        "seguro", "sii", "exacto", "correcto", "yes",
    ],
    no: &[
        "no", "nop", "nope", "falso", "en desacuerdo", "no esta bien", "nunca", "jamas", "incorrecto", "noo", "no ok",
        "para nada",
    ],
    maybe_yes: &[
        "acepto", "adelante", "afirmativo", "asi es", "bien", "bueno", "buenisimo", "claro que si", "como no", "con gusto",
        "confirmo", "confirmado", "dale", "desde luego", "efectivamente", "eso es", "exactamente", "genial", "hazlo",
        "listo", "me parece bien", "obvio", "perfecto", "por favor", "por que no", "positivo", "sale", "sin duda",
        "sin problema", "no hay problema", "simon", "venga", "ya", "verdad", "orale",
    ],
    maybe_no: &[
        "claro que no", "de ninguna manera", "de ningun modo", "en absoluto", "error", "mejor no", "nada", "negativo",
        "ni hablar", "ni loco", "no creo", "no gracias", "olvidalo", "por supuesto que no", "que va", "rechazo", "tampoco",
    ],
    neither: &["no se", "no lo se", "no estoy seguro", "no estoy segura", "si o no", "ni idea"],
    alone_yes: &["s", "y", "1"],
    alone_no: &["n", "0"],
    negations: &["no", "ni", "nunca"],
    ..Words::NONE
};

pub(super) const PORTUGUESE: Words = Words {
    yes: &[
        "sim", "claro", "ok", "okay", "okey", "certo", "verdadeiro", "concordo", "com certeza", "de acordo", "ta ok", "certeza",
        "exato", "correto", "positivo", "simm", "yes",
    ],
    no: &[
        "nao", "falso", "errado", "discordo", "negativo", "nunca", "nao concordo", "nao ok", "nope", "jamais",
        "incorreto", "naum", "nem pensar",
    ],
    maybe_yes: &[
        "aceito", "afirmativo", "beleza", "blz", "bora", "combinado", "com prazer", "confirmo", "confirmado", "esta bem",
        "esta bom", "exatamente", "faca", "fechado", "fixe", "isso", "isso mesmo", "joia", "manda ver", "obvio", "otimo",
        "perfeito", "pode", "pode ser", "por favor", "por que nao", "porque nao", "quero", "sem problema", "sem duvida",
        "nao ha problema", "ta", "ta bom", "tudo bem", "uhum", "vamos", "verdade", "tranquilo", "e isso ai", "pois e",
    ],
    maybe_no: &[
        "claro que nao", "de jeito nenhum", "de maneira nenhuma", "deixa pra la", "esquece", "melhor nao", "nada disso",
        "nao obrigado", "nao obrigada", "nao quero", "nem", "nem a pau", "nadinha", "recuso", "de modo nenhum", "acho que nao",
    ],
    neither: &["nao sei", "nao tenho certeza", "sim ou nao", "sei la"],
    alone_yes: &["s", "1"],
    alone_no: &["n", "0"],
    negations: &["nao", "nem", "nunca"],
    ..Words::NONE
};

pub(super) const ITALIAN: Words = Words {
    yes: &[
        "si", "certo", "certamente", "vero", "ok", "okay", "va bene", "d'accordo", "esatto", "giusto", "sicuro", "concordo",
        "yes", "sii",
    ],
    no: &[
        "no", "falso", "non va bene", "non e ok", "non è ok", "non ok", "sbagliato", "nope", "nop", "in disaccordo",
        "non concordo", "noo",
    ],
    maybe_yes: &[
        "accetto", "affermativo", "assolutamente", "assolutamente si", "bene", "benissimo", "come no", "confermo",
        "confermato", "con piacere", "corretto", "esattamente", "facciamolo", "naturalmente", "nessun problema", "ottimo",
        "ovvio", "ovviamente", "per favore", "perche no", "perfetto", "procedi", "senz'altro", "sicuramente", "volentieri",
        "certo che si", "penso di si", "credo di si", "va benissimo", "vai",
    ],
    maybe_no: &[
        "assolutamente no", "certo che no", "errato", "giammai", "lascia perdere", "lascia stare", "mai", "meglio di no",
        "negativo", "neanche per sogno", "nemmeno", "niente affatto", "no grazie", "non credo", "non penso", "per niente",
        "rifiuto", "direi di no", "non voglio", "non sono d'accordo",
    ],
    neither: &["non so", "non lo so", "non sono sicuro", "non sono sicura", "si o no", "boh"],
    alone_yes: &["s", "1"],
    alone_no: &["n", "0"],
    negations: &["non", "mai"],
    ..Words::NONE
};

pub(super) const DUTCH: Words = Words {
    yes: &[
        "ja", "jawel", "jazeker", "jep", "jup", "ok", "oke", "okay", "prima", "natuurlijk", "akkoord", "zeker", "waar", "juist",
        "klopt", "goed", "yes", "joh ja", "eens",
    ],
    no: &["nee", "neen", "niet", "nope", "nooit", "onwaar", "vals", "oneens", "fout", "onjuist", "nee hoor"],
    maybe_yes: &[
        "absoluut", "afgesproken", "bevestigd", "correct", "definitief", "doe maar", "geen probleem", "graag", "heel graag",
        "inderdaad", "is goed", "komt goed", "lijkt me goed", "mee eens", "perfect", "precies", "tuurlijk", "uiteraard",
        "vanzelfsprekend", "waarom niet", "zeker weten", "alstublieft", "top", "super", "jahoor", "mij best",
    ],
    maybe_no: &[
        "absoluut niet", "echt niet", "geen sprake van", "helemaal niet", "liever niet", "nee bedankt", "nee dank je",
        "zeker niet", "natuurlijk niet", "vergeet het", "weiger", "in geen geval", "van niet",
    ],
    neither: &["weet ik niet", "weet niet", "weet het niet", "niet zeker", "geen idee", "ja of nee"],
    alone_yes: &["j", "1"],
    alone_no: &["n", "0"],
    negations: &["niet", "geen", "nooit"],
    ..Words::NONE
};

pub(super) const SWEDISH: Words = Words {
    yes: &[
        "sant", "ja", "jo", "yes", "ok", "okej", "okey", "japp", "jepp", "jajamensan", "jajamen", "sakert", "javisst",
        "kor", "absolut", "visst", "sjalvklart", "haller med", "japps", "javisst ja", "jada", "klart", "samtycker",
        "instammer",
    ],
    no: &[
        "falskt", "falsk", "nej", "na", "napp", "nepp", "nix", "nope", "misstycker", "absolut inte", "glom det", "vill inte",
        "haller inte med", "inte ok", "inte okej", "aldrig", "inte", "ej", "nejda", "verkligen inte", "nej tack",
        "osant", "fel", "nej du", "inte alls", "aldrig i livet", "icke",
    ],
    maybe_yes: &[
        "bra", "det blir bra", "det stammer", "exakt", "garna", "givetvis", "gor det", "inga problem", "korrekt", "naturligtvis",
        "perfekt", "precis", "ratt", "snalla", "stammer", "varfor inte", "mm", "tack", "toppen", "okidoki", "utan tvekan",
        "bekraftar", "fortsatt", "ska bli",
    ],
    maybe_no: &[
        "sjalvklart inte", "naturligtvis inte", "helst inte", "inte direkt", "ingalunda", "knappast", "tror inte",
        "tror inte det", "avbojer", "strunta i det", "skippa det", "inte nu", "gor inte det",
    ],
    neither: &["inte saker", "inte sakert", "vet inte", "vet ej", "ingen aning", "ja eller nej"],
    alone_yes: &["j", "y", "1"],
    alone_no: &["n", "0"],
    negations: &["inte", "ej", "aldrig", "icke"],
    ..Words::NONE
};
