package calibron.store;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** An iterator that searches for its next element when {@code hasNext} is called. */
abstract class LookingAhead implements Iterator<Object> {

    private Object next;
    private boolean looked;

    /** The next element, or null after the last one. */
    abstract Object look();

    @Override
    public final boolean hasNext() {
        if (!looked) {
            looked = true;
            next = look();
        }
        return next != null;
    }

    @Override
    public final Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        looked = false;
        return next;
    }
}
